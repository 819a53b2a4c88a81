/* Messages of the rank to itself: those that wait for a receive, and receives that wait for a message, each
 * in the order in which they came, so that messages do not overtake each other (MPI 5.0, section 3.5). */
#include "serial.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* Up to here a message is copied and its send complete at once, as MPI libraries do; a longer one waits for
 * its receive, so that a program which relies on more is found out here, too. */
enum { EAGER_BYTES = 65536 };

struct serial_request {
    struct serial_request *next; /* in its queue */
    unsigned long comm;
    int tag;
    char *data;
    int count;
    MPI_Datatype type;
    size_t nbytes;            /* of a message */
    bool own_memory;          /* the data are a copy */
    bool complete, forgotten; /* nobody has its handle any longer */
    MPI_Status status;
};
struct serial_request serial_complete = {.complete = true};

typedef struct serial_request Request;
static Request *sends, *receives;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* for both, and all in them */

/* ---- the queues ---- */

static void append(Request **queue, Request *request) {
    while (*queue)
        queue = &(*queue)->next;
    *queue = request;
}

static void leave(Request **queue, const Request *request) {
    while (*queue && *queue != request)
        queue = &(*queue)->next;
    if (*queue)
        *queue = request->next;
}

static bool fits(const Request *send, unsigned long comm, int tag) {
    return send->comm == comm && (tag == MPI_ANY_TAG || tag == send->tag);
}

static void give_back(Request *request) {
    if (request->type)
        type_drop(request->type);
    if (request->own_memory)
        free(request->data);
    free(request);
}

static void finish(Request *request) {
    request->complete = true;
    if (request->forgotten)
        give_back(request);
}

static Request *make(const void *data, int count, MPI_Datatype type, int tag, MPI_Comm comm) {
    Request *request = malloc(sizeof *request);
    if (!request)
        return NULL;
    *request = (Request){.comm = comm->number,
                         .tag = tag,
                         .data = (char *)data,
                         .count = count,
                         .type = type,
                         .nbytes = (size_t)count * type->nbytes};
    type_keep(type);
    return request;
}

/* ---- moving data ---- */

/* Both lie in pieces: by way of other memory. */
static int move_by_copy(const Request *send, const Request *receive, size_t nbytes) {
    char *copy = malloc(send->nbytes ? send->nbytes : 1);
    if (!copy)
        return MPI_ERR_OTHER;
    type_pack(send->data, send->count, send->type, copy);
    type_unpack(receive->data, receive->count, receive->type, copy, nbytes);
    free(copy);
    return MPI_SUCCESS;
}

/* The message goes to that receive; both leave their queues. */
static void deliver(Request *send, Request *receive) {
    size_t room = receive->nbytes, nbytes = send->nbytes < room ? send->nbytes : room;
    int code = send->nbytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    if (send->own_memory || send->type->contiguous)
        type_unpack(receive->data, receive->count, receive->type, send->data, nbytes);
    else if (receive->type->contiguous && code == MPI_SUCCESS)
        type_pack(send->data, send->count, send->type, receive->data);
    else if (move_by_copy(send, receive, nbytes) != MPI_SUCCESS)
        code = MPI_ERR_OTHER;
    receive->status = (MPI_Status){.MPI_TAG = send->tag, .MPI_ERROR = code, .nbytes = (long long)nbytes};
    leave(&sends, send);
    leave(&receives, receive);
    finish(send);
    finish(receive);
}

/* ---- sending ---- */

static void keep_copy(Request *send) {
    char *copy = malloc(send->nbytes ? send->nbytes : 1);
    if (!copy)
        return;
    type_pack(send->data, send->count, send->type, copy);
    send->data = copy;
    send->own_memory = send->forgotten = true;
}

static int start_send(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                      bool eager, MPI_Request *request) {
    *request = &serial_complete;
    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (dest != 0 || count < 0 || tag < 0)
        return dest != 0 ? MPI_ERR_RANK : count < 0 ? MPI_ERR_COUNT : MPI_ERR_TAG;
    Request *send = make(data, count, type, tag, comm), *receive;
    if (!send)
        return MPI_ERR_OTHER;
    pthread_mutex_lock(&turn);
    for (receive = receives; receive && !fits(send, receive->comm, receive->tag);)
        receive = receive->next;
    if (!receive && eager && send->nbytes <= EAGER_BYTES)
        keep_copy(send);
    if (!send->forgotten)
        *request = send;
    if (receive)
        deliver(send, receive);
    else
        append(&sends, send);
    pthread_mutex_unlock(&turn);
    return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return start_send(data, count, type, dest, tag, comm, true, request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request) {
    return start_send(data, count, type, dest, tag, comm, false, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    MPI_Request request;
    int code = MPI_Isend(data, count, type, dest, tag, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

/* ---- receiving ---- */

static Request *find(int tag, MPI_Comm comm) {
    Request *send = sends;
    while (send && !fits(send, comm->number, tag))
        send = send->next;
    return send;
}

static const MPI_Status of_nobody = {.MPI_SOURCE = MPI_PROC_NULL, .MPI_TAG = MPI_ANY_TAG};

int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
    if (source > 0 || count < 0 || (tag < 0 && tag != MPI_ANY_TAG))
        return source > 0 ? MPI_ERR_RANK : count < 0 ? MPI_ERR_COUNT : MPI_ERR_TAG;
    Request *receive = make(data, count, type, tag, comm);
    if (!receive)
        return MPI_ERR_OTHER;
    *request = receive;
    if (source == MPI_PROC_NULL) {
        receive->complete = true;
        receive->status = of_nobody;
        return MPI_SUCCESS;
    }
    pthread_mutex_lock(&turn);
    Request *send = find(tag, comm);
    if (send)
        deliver(send, receive);
    else
        append(&receives, receive);
    pthread_mutex_unlock(&turn);
    return MPI_SUCCESS;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
    MPI_Request request;
    int code = MPI_Irecv(data, count, type, source, tag, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, status) : code;
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int dest, int tag, void *room, int most,
                 MPI_Datatype room_type, int source, int room_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request receive;
    int code = MPI_Irecv(room, most, room_type, source, room_tag, comm, &receive);
    if (code == MPI_SUCCESS)
        code = MPI_Send(data, count, type, dest, tag, comm);
    return code == MPI_SUCCESS ? MPI_Wait(&receive, status) : code;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    MPI_Status seen = of_nobody;
    pthread_mutex_lock(&turn);
    const Request *send = source == MPI_PROC_NULL ? NULL : find(tag, comm);
    if (send)
        seen = (MPI_Status){.MPI_TAG = send->tag, .nbytes = (long long)send->nbytes};
    pthread_mutex_unlock(&turn);
    *found = send || source == MPI_PROC_NULL;
    if (*found && status)
        *status = seen;
    return MPI_SUCCESS;
}

/* The one rank waits for what it has found, and nobody else receives it: its tag stands for the message. */
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *found, MPI_Message *message, MPI_Status *status) {
    MPI_Status seen;
    int code = MPI_Iprobe(source, tag, comm, found, &seen);
    *message = (MPI_Message){.tag = seen.MPI_TAG, .comm = comm};
    if (*found && status)
        *status = seen;
    return code;
}

int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    return MPI_Irecv(data, count, type, 0, message->tag, message->comm, request);
}

/* ---- completing ---- */

static bool is_complete(const Request *request) {
    pthread_mutex_lock(&turn);
    bool complete = request->complete;
    pthread_mutex_unlock(&turn);
    return complete;
}

/* Take the status of a request that is complete, and its handle. MPI's code. */
static int take(MPI_Request *request, MPI_Status *status) {
    static const MPI_Status empty = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
    Request *taken = *request;
    bool kept = taken && taken != &serial_complete;
    MPI_Status found = kept ? taken->status : empty;
    if (status)
        *status = found;
    if (kept)
        give_back(taken);
    *request = MPI_REQUEST_NULL;
    return found.MPI_ERROR;
}

int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status) {
    *complete = !*request || is_complete(*request);
    return *complete ? take(request, status) : MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request *requests, int *complete, MPI_Status *statuses) {
    int code = MPI_SUCCESS;
    *complete = 1;
    for (int i = 0; i < count && *complete; i++)
        *complete = !requests[i] || is_complete(requests[i]);
    for (int i = 0; i < count && *complete; i++)
        if (take(&requests[i], statuses ? &statuses[i] : MPI_STATUS_IGNORE) != MPI_SUCCESS)
            code = MPI_ERR_IN_STATUS;
    return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    while (*request && !is_complete(*request))
        sched_yield();
    return take(request, status);
}

/* Of receives alone, as in the standard since MPI 4.0. */
int MPI_Cancel(MPI_Request *request) {
    Request *found = *request;
    pthread_mutex_lock(&turn);
    Request *receive = receives;
    while (receive && receive != found)
        receive = receive->next;
    if (receive) {
        leave(&receives, receive);
        receive->complete = true;
        receive->status = (MPI_Status){.cancelled = 1};
    }
    pthread_mutex_unlock(&turn);
    return MPI_SUCCESS;
}

int MPI_Test_cancelled(const MPI_Status *status, int *cancelled) {
    *cancelled = status->cancelled;
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request) {
    Request *freed = *request;
    *request = MPI_REQUEST_NULL;
    if (freed == &serial_complete)
        return MPI_SUCCESS;
    pthread_mutex_lock(&turn);
    freed->forgotten = true;
    if (freed->complete)
        give_back(freed);
    pthread_mutex_unlock(&turn);
    return MPI_SUCCESS;
}

static void forget(Request **queue, MPI_Comm comm) {
    while (*queue)
        if (!comm || (*queue)->comm == comm->number) {
            Request *request = *queue;
            *queue = request->next;
            finish(request);
        } else
            queue = &(*queue)->next;
}

void messages_forget(MPI_Comm comm) {
    pthread_mutex_lock(&turn);
    forget(&sends, comm);
    forget(&receives, comm);
    pthread_mutex_unlock(&turn);
}
