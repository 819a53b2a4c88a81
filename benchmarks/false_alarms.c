/* A healthy program in which ranks wait long: phases drawn from a seed, the same on all ranks. In each, one
   rank is late in one of several ways, and the others wait for it in another. Arguments: the seed, the
   phases, and the longest delay in seconds. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { LARGE = 1 << 21 }; /* bytes that no library sends before their receive is there */
static int rank, ranks, value;
static char *large;

/* ---- how a rank is late ---- */

static void compute(double seconds) {
    volatile double sum = 0;
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        for (int k = 0; k < 10000; k++)
            sum += k;
}

static void sleep_for(double seconds) { usleep((useconds_t)(1e6 * seconds)); }

static void read_slowly(double seconds) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec at = {.it_value = {(time_t)seconds, 1 + (long)(1e9 * (seconds - (time_t)seconds))}};
    uint64_t times;
    timerfd_settime(timer, 0, &at, NULL);
    if (read(timer, &times, sizeof times) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(timer);
}

static void test_between_work(double seconds) {
    int there = 0;
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
        compute(0.02);
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
}

/* ---- how the others wait for the late rank, which calls `meet` last ---- */

static void barrier(int late) { (void)late, MPI_Barrier(MPI_COMM_WORLD); }

static void broadcast(int late) { MPI_Bcast(large, LARGE, MPI_CHAR, late, MPI_COMM_WORLD); }

static void nonblocking_barrier(int late) {
    MPI_Request request;
    (void)late, MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(int late) {
    for (int other = 0; rank == late && other < ranks; other++)
        if (other != late)
            MPI_Send(&value, 1, MPI_INT, other, 5, MPI_COMM_WORLD);
    if (rank != late)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); /* the next phase may receive from any rank, too */
}

static void send_large(int late) {
    for (int other = 0; rank == late && other < ranks - 1; other++)
        MPI_Recv(large, LARGE, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != late)
        MPI_Send(large, LARGE, MPI_CHAR, late, 6, MPI_COMM_WORLD);
}

static void poll_for(int late) {
    int there = 0;
    while (rank != late && !there)
        MPI_Iprobe(late, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    receive(late);
}

static void chain(int late) {
    if (rank != late)
        MPI_Recv(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if ((rank + 1) % ranks != late)
        MPI_Send(&value, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
}

int main(int count, char **words) {
    static void (*const delays[])(double) = {compute, sleep_for, read_slowly, test_between_work};
    static void (*const waits[])(int) = {barrier,  broadcast, nonblocking_barrier, receive, send_large,
                                         poll_for, chain};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    large = calloc(LARGE, 1);
    srand((unsigned)atoi(words[1]));
    for (int phase = atoi(words[2]); phase > 0; phase--) {
        int late = rand() % ranks, how = rand() % 4, wait = rand() % 7;
        double seconds = atof(words[3]) * rand() / RAND_MAX;
        if (rank == late)
            delays[how](seconds);
        waits[wait](late);
    }
    free(large);
    MPI_Finalize();
    return 0;
}
