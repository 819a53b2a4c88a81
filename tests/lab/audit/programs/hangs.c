/* Programs that hang, or only seem to: the first argument names one, the second is a path for some. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1 << 23 };

static int rank, ranks;
static const char *path;
static char *large; /* a message that no library sends before its receive is there */
static int value;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void receive(int source, int tag) {
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int dest, int tag) { MPI_Send(&value, 1, MPI_INT, dest, tag, MPI_COMM_WORLD); }

static void compute(double seconds) {
    double begin = MPI_Wtime();
    struct timespec now;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (MPI_Wtime() < begin + seconds);
}

static void receives_first(void) {
    receive(1 - rank, 5);
    send(1 - rank, 5);
}

static void wrong_tag(void) {
    if (rank == 0)
        send(1, 5);
    else
        receive(0, 7);
    barrier();
}

static void wrong_root(void) {
    MPI_Gather(&value, 1, MPI_INT, large, 1, MPI_INT, rank == 2, MPI_COMM_WORLD);
    barrier();
}

static void missing(void) {
    if (rank == ranks - 1)
        receive(0, 9);
    barrier();
}

static void other_collective(void) {
    if (rank == 2)
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
        barrier();
    barrier();
}

static void crossed(void) {
    MPI_Comm both[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &both[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &both[1]);
    MPI_Barrier(both[rank]);
    MPI_Barrier(both[1 - rank]);
}

static void counts(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(large, rank == 2 ? 16 : 8, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 2)
        receive(0, 9);
    barrier();
}

static void left(void) {
    if (rank == 0) {
        MPI_Finalize();
        pause();
    }
    receive(0, 5);
}

static void taken(void) {
    if (rank == 0) {
        send(1, 5);
    } else {
        int other;
        MPI_Request request;
        MPI_Irecv(&other, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        receive(0, 5);
    }
    barrier();
}

static void locked(void) {
    MPI_Win window;
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    int one = 1;
    if (rank == 1)
        receive(0, 1);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    if (rank == 0) {
        send(1, 1);
        receive(1, 5);
    }
    MPI_Win_unlock(0, window);
    if (rank == 1)
        send(0, 5);
    MPI_Win_free(&window);
}

static void wildcard(void) {
    if (rank == 0)
        receive(MPI_ANY_SOURCE, 9);
    barrier();
}

static void sends_first(void) {
    MPI_Send(large, LARGE, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD);
    MPI_Recv(large, LARGE, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void unfinished(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == 2)
        pause();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier();
}

static void reading(void) {
    if (rank == 0) {
        int file = open(path, O_RDWR);
        if (read(file, &value, sizeof value) < 0)
            perror(path);
    }
    barrier();
}

static void endless(void) {
    if (rank == 0)
        for (;;)
            compute(1);
    barrier();
}

static void stopped(void) {
    if (rank == 0)
        raise(SIGSTOP);
    barrier();
}

static void rows(void) {
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    int by_row = rank == 0 || rank == 3;
    MPI_Barrier(by_row ? row : column);
    MPI_Barrier(by_row ? column : row);
}

static void probing(void) {
    int there = 0;
    while (rank == 0 && !there)
        MPI_Iprobe(1, 9, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    receive(1 - rank, 9);
}

static void finalizing(void) {
    if (rank > 0)
        receive(0, 5);
}

static void slow(void) {
    for (int k = 0; k < 2; k++) {
        compute(3);
        barrier();
    }
}

static void polling(void) {
    int there = 0;
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        while (!there)
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    } else {
        compute(4);
        send(0, 5);
    }
}

/* Tests a request between pieces of its work, and needs what it waits for only after it. */
static void overlapping(void) {
    int there = 0;
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        for (int k = 0; k < 400; k++) {
            compute(0.01);
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        }
        send(1, 6);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        receive(0, 6);
        send(0, 5);
    }
}

static void one_long(void) {
    if (rank == 1)
        compute(4);
    barrier();
}

static void exchange(void) {
    int got = 0;
    for (int k = 0; k < 10; k++)
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 5, &got, 1, MPI_INT, (rank + ranks - 1) % ranks,
                     5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int exit_code;

static void exit_with_7(void) {
    exchange();
    exit_code = 7;
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"receives first", receives_first},
    {"wrong tag", wrong_tag},
    {"wrong root", wrong_root},
    {"missing", missing},
    {"other collective", other_collective},
    {"crossed", crossed},
    {"counts", counts},
    {"left", left},
    {"taken", taken},
    {"locked", locked},
    {"wildcard", wildcard},
    {"sends first", sends_first},
    {"unfinished", unfinished},
    {"reading", reading},
    {"endless", endless},
    {"stopped", stopped},
    {"rows", rows},
    {"probing", probing},
    {"finalizing", finalizing},
    {"slow", slow},
    {"polling", polling},
    {"overlapping", overlapping},
    {"one long", one_long},
    {"exchange", exchange},
    {"exit with 7", exit_with_7},
};

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    large = calloc(LARGE, 1);
    path = count > 2 ? words[2] : "";
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (strcmp(programs[k].name, words[1]) == 0)
            programs[k].run();
    free(large);
    MPI_Finalize();
    return exit_code;
}
