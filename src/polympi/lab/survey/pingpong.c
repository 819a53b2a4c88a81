// Which library each rank runs on, and which network interfaces carry what rank 0 exchanges with each other
// rank.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INTERFACES = 64, NAME_BYTES = 64, LINE_BYTES = 512, LIBRARY_BYTES = 128 };
// The latency is the shortest of some batches. Large messages go on up to a number and a time: on a slow
// network (10 Mbit/s) a second is enough to tell which interface carries them.
enum { BATCHES = 10, TRIPS = 10, LARGE_BYTES = 1 << 19, MOST_LARGE = 16, LARGE_NS = 1000000000 };
enum { TAG = 1, INFINIBAND_WORD = 4 };

struct counter {
    char name[NAME_BYTES];
    int64_t sent, received;
};

struct counters {
    struct counter of[INTERFACES];
    int64_t count;
};

static char buffer[LARGE_BYTES];

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t number_in(const char *folder, const char *name) {
    char path[LINE_BYTES];
    long long value = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%lld", &value) != 1)
            value = 0;
        fclose(file);
    }
    return value;
}

// InfiniBand does not pass the kernel; its ports count for themselves, in words of four bytes.
static void read_infiniband(struct counters *all) {
    glob_t found;
    if (glob("/sys/class/infiniband/*/ports/*/counters", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc && all->count < INTERFACES; i++) {
        struct counter *one = &all->of[all->count++];
        char device[NAME_BYTES] = "";
        sscanf(found.gl_pathv[i], "/sys/class/infiniband/%63[^/]", device);
        snprintf(one->name, sizeof one->name, "%s", device);
        one->sent = INFINIBAND_WORD * number_in(found.gl_pathv[i], "port_xmit_data");
        one->received = INFINIBAND_WORD * number_in(found.gl_pathv[i], "port_rcv_data");
    }
    globfree(&found);
}

static void read_counters(struct counters *all) {
    char line[LINE_BYTES];
    all->count = 0;
    FILE *file = fopen("/proc/net/dev", "r");
    while (file && fgets(line, sizeof line, file) && all->count < INTERFACES) {
        struct counter *one = &all->of[all->count];
        long long received, sent;
        if (sscanf(line, " %63[^: ]: %lld %*s %*s %*s %*s %*s %*s %*s %lld", one->name, &received, &sent) !=
            3)
            continue;
        one->received = received;
        one->sent = sent;
        all->count++;
    }
    if (file)
        fclose(file);
    read_infiniband(all);
}

// Ranks that are not concerned leave the processor to those that are: hosts of one machine share it.
static void sleep_until_message(int other) {
    const struct timespec pause = {0, 1000000};
    int there = 0;
    for (;;) {
        MPI_Iprobe(other, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            return;
        nanosleep(&pause, NULL);
    }
}

static void trip(int other, int begins, int bytes) {
    if (begins) {
        MPI_Send(buffer, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(buffer, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    }
}

// The one-way time of a small message in ns.
static int64_t latency(int other, int begins) {
    int64_t best = INT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        const int64_t began = now();
        for (int i = 0; i < TRIPS; i++)
            trip(other, begins, 1);
        const int64_t passed = (now() - began) / (2 * TRIPS);
        best = passed < best ? passed : best;
    }
    return best;
}

// Bytes a second one way; the first byte of a message says whether another one follows.
static int64_t bandwidth(int other, int begins, int64_t *bytes) {
    const int64_t began = now();
    int64_t count = 0, passed;
    do {
        count++;
        buffer[0] = count < MOST_LARGE && now() - began < LARGE_NS;
        trip(other, begins, LARGE_BYTES);
        passed = now() - began;
    } while (buffer[0]);
    *bytes = count * LARGE_BYTES;
    return (int64_t)(2.0 * (double)*bytes * 1e9 / (double)passed);
}

static void print_carried(int rank, const char *who, const struct counters *before,
                          const struct counters *after) {
    for (int64_t i = 0; i < after->count; i++)
        for (int64_t k = 0; k < before->count; k++)
            if (strcmp(after->of[i].name, before->of[k].name) == 0)
                printf("carried %d %s %s %lld %lld\n", rank, who, after->of[i].name,
                       (long long)(after->of[i].sent - before->of[k].sent),
                       (long long)(after->of[i].received - before->of[k].received));
}

static void exchange_with(int other, int rank) {
    static struct counters before, after, theirs[2];
    const int begins = rank == 0;
    trip(other, begins, LARGE_BYTES); // connections are made by the first message
    read_counters(&before);
    int64_t bytes;
    const int64_t latency_ns = latency(other, begins);
    const int64_t rate = bandwidth(other, begins, &bytes);
    trip(other, begins, 1); // all that was sent has arrived
    read_counters(&after);
    if (begins) {
        MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("times %d %lld %lld %lld\n", other, (long long)latency_ns, (long long)rate, (long long)bytes);
        print_carried(other, "first", &before, &after);
        print_carried(other, "other", &theirs[0], &theirs[1]);
        fflush(stdout);
    } else {
        theirs[0] = before;
        theirs[1] = after;
        MPI_Send(&theirs, sizeof theirs, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    }
}

static void describe_library(char *library) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *at = version; *at; at++)
        if (*at == '\t')
            *at = ' ';
    snprintf(library, LIBRARY_BYTES, "%.*s", LIBRARY_BYTES - 1, version);
}

// Without MPI_Init: the library of this host alone, which MPI allows to ask for at any time.
static int print_library(void) {
    char library[LIBRARY_BYTES];
    describe_library(library);
    Dl_info where = {0};
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Init");
    printf("library %s\nlibmpi %s\n", library, symbol && dladdr(symbol, &where) ? where.dli_fname : "");
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "library") == 0)
        return print_library();
    int rank, size, length;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    char *hosts = malloc((size_t)size * sizeof host);
    if (!hosts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < size; i++)
            printf("rank %d %d %s\n", i, size, hosts + (size_t)i * sizeof host);
    free(hosts);
    fflush(stdout);
    if (rank > 0) {
        sleep_until_message(0);
        exchange_with(0, rank);
        sleep_until_message(0);
        MPI_Recv(buffer, 1, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int other = 1; other < size; other++)
            exchange_with(other, 0);
        for (int other = 1; other < size; other++)
            MPI_Send(buffer, 1, MPI_BYTE, other, TAG, MPI_COMM_WORLD);
    }
    // MPICH 4.0 with UCX, as Debian has it: in MPI_Finalize, ranks on other hosts would wait forever for
    // rank 0, which has nothing left to send and only waits for the launcher.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
