#include "transfer/undelivered.h"

#include "codec/wire.h"
#include "transfer/open_communicators.h"
#include "transfer/transfer.h"

static void note(Undelivered *found, const MPI_Status *status) {
    if (found->count++)
        return;
    found->source = status->MPI_SOURCE;
    found->tag = status->MPI_TAG;
}

int undelivered_take(MPI_Comm comm, Undelivered *found) {
    char packet[PACKET_BYTES];
    while (!found->large) {
        MPI_Status status;
        int any = 0, nbytes = 0, code = iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any, &status);
        if (code != MPI_SUCCESS || !any)
            return code;
        code = MPI_Get_count(&status, MPI_BYTE, &nbytes);
        found->large = nbytes < 0 || nbytes > PACKET_BYTES; /* negative: more than an int holds */
        if (code == MPI_SUCCESS && !found->large)
            code = MPI_Recv(packet, PACKET_BYTES, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
                            MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        note(found, &status);
    }
    return MPI_SUCCESS;
}

/* ---- at the end of the program ---- */

/* The rank of the world; that of the communicator where it has none. */
static int world_rank(MPI_Comm comm, MPI_Comm world, int rank) {
    MPI_Group ranks;
    if (MPI_Comm_group(world, &ranks) != MPI_SUCCESS)
        return rank;
    int found = translate_rank(comm, rank, ranks);
    MPI_Group_free(&ranks);
    return found == MPI_UNDEFINED ? rank : found;
}

/* A large one, which isn't received, is found by each call, and counts in the last. */
static void add(Undelivered *all, const Undelivered *few, bool last, MPI_Comm comm, MPI_Comm world) {
    int count = few->count - (few->large && !last);
    if (count && !all->count) {
        all->source = world_rank(comm, world, few->source);
        all->tag = few->tag;
    }
    all->count += count;
}

/* On a shadow communicator, only the messages of plans count: all others belong to messages that are reported
 * elsewhere, or to collective calls. */
static void take_of_plans(MPI_Comm shadow, Undelivered *found) {
    char packet[PACKET_BYTES];
    int any = 0, nbytes = 0;
    while (!found->large) {
        MPI_Status status;
        if (iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, shadow, &any, &status) != MPI_SUCCESS || !any ||
            MPI_Get_count(&status, MPI_BYTE, &nbytes) != MPI_SUCCESS)
            return;
        const int source = status.MPI_SOURCE, tag = status.MPI_TAG;
        found->large = nbytes < 0 || nbytes > PACKET_BYTES;
        if (!found->large &&
            MPI_Recv(packet, PACKET_BYTES, MPI_BYTE, source, tag, shadow, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        if (!is_channel_tag(tag)) {
            if (found->large) {
                found->large = false;
                return;
            }
            continue;
        }
        status.MPI_TAG = NO_TAG;
        note(found, &status);
    }
}

void undelivered_take_all(MPI_Comm world, bool last, Undelivered *found) {
    Undelivered of_world = {0};
    if (state.initialised_by_us) /* else others may leave messages on MPI_COMM_WORLD */
        undelivered_take(MPI_COMM_WORLD, &of_world);
    add(found, &of_world, last, MPI_COMM_WORLD, world);
    for (const OpenCommunicator *open = open_communicators(); open; open = open->next) {
        Undelivered of_user = {0}, of_plans = {0};
        if (!open->borrowed)
            undelivered_take(open->comm, &of_user);
        add(found, &of_user, last, open->comm, world);
        if (open->shadow != MPI_COMM_NULL)
            take_of_plans(open->shadow, &of_plans);
        add(found, &of_plans, last, open->shadow, world); /* a borrowed one may be freed */
    }
}
