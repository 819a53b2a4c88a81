#include "transport/calls.h"

#include <stdlib.h>

#include "base/errors.h"

int raise_mpi(int code, const Call *call) {
    if (state.without_python)
        return -1;
    int class = MPI_ERR_OTHER, length = 0;
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    MPI_Error_class(code, &class);
    if (MPI_Error_string(code, text, &length) == MPI_SUCCESS)
        text[length] = '\0';
    for (char *c = text; *c; c++) /* MPICH explains itself in several lines */
        if (*c == '\n')
            *c = ' ';
    const char *name = class == MPI_ERR_TRUNCATE                        ? "TruncationError"
                       : class == MPI_ERR_RANK || class == MPI_ERR_ROOT ? "RankError"
                       : class == MPI_ERR_TAG                           ? "TagError"
                                                                        : "Error";
    PyObject *sentence = PyUnicode_FromFormat("the MPI library reports: %s", text);
    return raise_coded(name, call, sentence, class);
}

/* Not inlined: where MPI_STATUSES_IGNORE is an address like 1, compilers warn of memory that is not there. */
__attribute__((noinline)) int test_several(MPI_Request *requests, int count, MPI_Status *statuses,
                                           int *complete) {
    int code = MPI_Testall(count, requests, complete, statuses);
    if (code == MPI_ERR_IN_STATUS && statuses != MPI_STATUSES_IGNORE)
        for (int i = 0; i < count; i++)
            if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
                return statuses[i].MPI_ERROR;
    return code;
}

int requests_grow(MPI_Request **requests, int count, int *capacity, const MPI_Request *first) {
    MPI_Request *more = malloc(2 * (size_t)*capacity * sizeof *more);
    if (!more)
        return no_memory();
    memcpy(more, *requests, (size_t)count * sizeof *more);
    if (*requests != first)
        free(*requests);
    *requests = more;
    *capacity *= 2;
    return 0;
}

bool cancel_receive(MPI_Request *request, MPI_Status *status) {
    return *request != MPI_REQUEST_NULL && MPI_Cancel(request) == MPI_SUCCESS &&
           MPI_Wait(request, status) == MPI_SUCCESS;
}

int drop_request(MPI_Request *request, bool receives) {
    if (receives)
        MPI_Cancel(request);
    return MPI_Request_free(request);
}

int send_unwatched(const void *data, int nbytes, int dest, int tag, MPI_Comm comm) {
    MPI_Request request;
    int code = MPI_Isend(data, nbytes, MPI_BYTE, dest, tag, comm, &request);
    wake_rank(comm, dest);
    return code == MPI_SUCCESS ? MPI_Request_free(&request) : code;
}

int receive_found(void *data, int nbytes, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    int code = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, found, status);
    if (code != MPI_SUCCESS || !*found)
        return code;
    return MPI_Recv(data, nbytes, MPI_BYTE, status->MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
}

int peers_of(MPI_Comm comm, MPI_Group *peers) {
    int between = 0, code = MPI_Comm_test_inter(comm, &between);
    if (code != MPI_SUCCESS)
        return code;
    return between ? MPI_Comm_remote_group(comm, peers) : MPI_Comm_group(comm, peers);
}

int translate_rank(MPI_Comm comm, int rank, MPI_Group group) {
    MPI_Group own;
    int found = MPI_UNDEFINED;
    if (peers_of(comm, &own) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    if (MPI_Group_translate_ranks(own, 1, &rank, group, &found) != MPI_SUCCESS)
        found = MPI_UNDEFINED;
    MPI_Group_free(&own);
    return found;
}
