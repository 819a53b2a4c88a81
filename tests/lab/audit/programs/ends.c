/* Ends in the way that its argument names; what must be in the files is in test_ends.py. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, MESSAGES = 1000 };

static void *messages_to_itself(void *tag) {
    int out = 1, in, number = *(int *)tag;
    MPI_Request request;
    for (int k = 0; k < MESSAGES; k++) {
        MPI_Irecv(&in, 1, MPI_INT, 0, number, MPI_COMM_SELF, &request);
        MPI_Send(&out, 1, MPI_INT, 0, number, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[THREADS];
    int tags[THREADS];
    for (int k = 0; k < THREADS; k++) {
        tags[k] = k;
        pthread_create(&thread[k], NULL, messages_to_itself, &tags[k]);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    MPI_Finalize();
}

/* The child ends as processes do, by exit, and must leave its parent's file alone. */
static void forks(void) {
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    MPI_Barrier(MPI_COMM_SELF);
    kill(getpid(), SIGKILL);
}

static void many_requests(void) {
    enum { MANY = 3000 };
    static int in[MANY];
    static MPI_Request requests[MANY];
    int out = 1;
    for (int k = 0; k < MANY; k++)
        MPI_Irecv(&in[k], 1, MPI_INT, 0, k, MPI_COMM_SELF, &requests[k]);
    for (int k = 0; k < MANY; k++)
        MPI_Send(&out, 1, MPI_INT, 0, k, MPI_COMM_SELF);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}

static void many_communicators(void) {
    MPI_Comm copy;
    for (int k = 0; k < 5000; k++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        MPI_Barrier(copy);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
}

static void waits_for_ever(void) {
    int in;
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pair(const char *how) {
    int rank, in;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&in, 1, MPI_INT, 1, 78, MPI_COMM_WORLD, &request);
        waits_for_ever();
    }
    MPI_Barrier(MPI_COMM_SELF);
    sleep(1); /* rank 0 is in its receive by then, on any machine but a very slow one, where the test fails */
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    kill(getpid(), SIGKILL);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first (MPI 5.0, section 11.2.4). */
static int refuse(MPI_Comm comm, int key, void *value, void *exits) {
    (void)comm, (void)key, (void)value;
    if (exits)
        exit(0);
    return MPI_ERR_OTHER;
}

static void ends_in_finalize(bool exits) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, exits ? &key : NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Finalize();
}

int main(int argc, char **argv) {
    int provided;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (strcmp(how, "threads") == 0)
        threads();
    else if (strcmp(how, "fork") == 0)
        forks();
    else if (strcmp(how, "requests") == 0)
        many_requests();
    else if (strcmp(how, "communicators") == 0)
        many_communicators();
    else if (strncmp(how, "finalize", 8) == 0)
        ends_in_finalize(strstr(how, "exits") != NULL);
    else if (strcmp(how, "exit") == 0)
        exit(0);
    else
        pair(how);
    return 0;
}
