/* By how much the clocks of hosts differ: one rank of each host exchanges messages with rank 0, and the
   shortest exchange is wrong by half of its time at most. MPI_Init and MPI_Finalize, where this is done, wait
   for all ranks anyway. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum { EXCHANGES = 40, TAG = 1 };

struct offset {
    int64_t ns;
    int64_t error;
};

static intptr_t everyone; /* a copy of MPI_COMM_WORLD, if there are several hosts */
static int *leaders;      /* for each rank, the lowest one on its host */
static bool comparable;   /* all ranks are recorded */
static char status[64];   /* longer than any ABI's */

static uint64_t host_hash(void) {
    char boot[64] = "";
    uint64_t hash = 0;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && !fgets(boot, sizeof boot, file))
        boot[0] = 0;
    if (file)
        fclose(file);
    for (const char *letter = boot; *letter; letter++)
        hash = mix(hash, (uint64_t)*letter);
    for (const char *letter = file_header->host; *letter; letter++)
        hash = mix(hash, (uint64_t)*letter);
    return hash;
}

/* What a rank says of itself: its host, or 0 if it isn't recorded, and a proposal for the identity of the
 * job. */
struct greeting {
    uint64_t host;
    uint64_t id;
};

/* Finds who leads which rank if there are several hosts, and all ranks are recorded. */
static void find_leaders(const struct greeting *all) {
    bool several = false, complete = true;
    leaders = calloc((size_t)world_size, sizeof *leaders);
    for (int rank = 0; rank < world_size; rank++) {
        int leader = rank > 0 && all[rank].host == all[rank - 1].host ? leaders[rank - 1] : 0;
        while (all[leader].host != all[rank].host)
            leader++;
        leaders[rank] = leader;
        several = several || leader > 0, complete = complete && all[rank].host;
    }
    comparable = complete;
    if (several && complete && MPI2(Comm_dup, abi.world, &everyone) == 0)
        everyone = handle_of(everyone);
}

/* All ranks call this, also one that can't be recorded. The identity of the job, 0 if none of them is. */
uint64_t greet(bool recorded, uint64_t id) {
    struct greeting mine = {recorded ? host_hash() : 0, id}, *all = calloc((size_t)world_size, sizeof *all);
    if (!all ||
        MPI7(Allgather, &mine, (int)sizeof mine, abi.byte, all, (int)sizeof mine, abi.byte, abi.world) != 0)
        return id;
    uint64_t agreed = 0;
    for (int rank = 0; rank < world_size && !agreed; rank++)
        agreed = all[rank].id;
    find_leaders(all);
    free(all);
    return agreed;
}

static void send(const void *data, int bytes, int rank) {
    MPI6(Send, data, bytes, abi.byte, rank, TAG, everyone);
}

static void receive(void *data, int bytes, int rank) {
    MPI7(Recv, data, bytes, abi.byte, rank, TAG, everyone, status);
}

static void ask(int leader) {
    struct offset best = {0, INT64_MAX};
    for (int k = 0; k < EXCHANGES; k++) {
        int64_t there = 0, begin = (int64_t)nanoseconds();
        send(&begin, 8, leader);
        receive(&there, 8, leader);
        int64_t end = (int64_t)nanoseconds(), error = (end - begin + 1) / 2;
        if (error < best.error)
            best = (struct offset){begin + (end - begin) / 2 - there, error};
    }
    send(&best, sizeof best, leader);
}

static struct offset answer(void) {
    struct offset offset = {0, -1};
    for (int k = 0; k < EXCHANGES; k++) {
        int64_t there = 0;
        receive(&there, 8, 0);
        there = (int64_t)nanoseconds();
        send(&there, 8, 0);
    }
    receive(&offset, sizeof offset, 0);
    return offset;
}

/* What to add to this host's clock to get rank 0's; `when` is 0 at the begin and 1 at the end. */
void compare_clocks(int when) {
    struct offset offset = {0, 0};
    intptr_t host = 0;
    if (!comparable)
        return;
    if (everyone) {
        for (int rank = 1; world_rank == 0 && rank < world_size; rank++)
            if (leaders[rank] == rank)
                ask(rank);
        if (world_rank > 0 && leaders[world_rank] == world_rank)
            offset = answer();
        if (MPI4(Comm_split, everyone, leaders[world_rank], world_rank, &host) == 0) {
            host = handle_of(host);
            MPI5(Bcast, &offset, (int)sizeof offset, abi.byte, 0, host);
            MPI1(Comm_free, &host);
        }
    }
    file_header->offset_ns[when] = offset.ns;
    file_header->error_ns[when] = offset.error;
}
