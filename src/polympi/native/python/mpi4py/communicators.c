/* The Communicators of mpi4py's communicators.
 *
 * Making a communicator is mpi4py's own call, at no extra cost. The first accelerated call on it looks at its
 * ranks: the core handles it if they are one group, all of the world. Every rank finds the same by itself,
 * however the communicator was made, so messages need no synchronisation: small ones are sent on the
 * communicator itself, and their parts on a carrier that all communicators share. The ranks meet at the first
 * collective of objects, and then set up what collectives need.
 */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include <stdlib.h>

#include "collectives/call_log.h"
#include "collectives/creation.h"
#include "collectives/mailbox.h"
#include "python/interface/communicator.h"
#include "python/start.h"
#include "transfer/open_communicators.h"
#include "transfer/plan/channel_handshake.h"
#include "transfer/receive/probing_receive.h"

Attachment *recent[RECENT];
static int keyval = MPI_KEYVAL_INVALID;
static PyTypeObject *communicator_type;
static Communicator *carrier; /* of the parts of all messages: a duplicate of the world's shadow */

/* ---- freeing them ---- */

static Attachment *freed; /* those whose handles are freed; atomic */

/* MPI calls this, with or without the GIL. */
static int note_freed(MPI_Comm Py_UNUSED(comm), int Py_UNUSED(key), void *value, void *Py_UNUSED(extra)) {
    Attachment *attachment = value;
    __atomic_store_n(&attachment->freed, 1, __ATOMIC_RELEASE);
    attachment->next = __atomic_load_n(&freed, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&freed, &attachment->next, attachment, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return MPI_SUCCESS;
}

/* Freeing is local, as it is in MPI libraries: programs may rely on no rank waiting for another one. The
 * shadow has to stay if notices of calls (ranks on several machines), or a message for a receive, may be in
 * flight. */
static void leave(Communicator *comm) {
    progress();
    if (receive_under_way(comm) || (state.several_machines && comm->calls))
        return;
    comm->size = 0;
    open_communicators_remove(comm->comm);
    handshakes_close(comm);
    mailboxes_close(comm->mailboxes);
    comm->mailboxes = NULL;
    IN_TURN(MPI_Comm_free(&comm->shadow));
}

static void give_back(Attachment *attachment) {
    Communicator *comm = attachment->comm;
    Attachment **last = &recent[recent_place(attachment->handle)];
    if (*last == attachment)
        *last = NULL;
    if (comm && comm->shadow != MPI_COMM_NULL)
        leave(comm);
    Py_XDECREF(comm);
    free(attachment);
}

static void give_back_freed(void) {
    if (likely(!__atomic_load_n(&freed, __ATOMIC_RELAXED)))
        return;
    Attachment *all = __atomic_exchange_n(&freed, NULL, __ATOMIC_ACQUIRE), *next;
    for (; all; all = next) {
        next = all->next;
        if (!all->joining) /* else a thread is still using it */
            give_back(all);
    }
}

/* ---- finding them ---- */

static Attachment *attachment_of(MPI_Comm handle) {
    Attachment *attachment;
    int found = 0, code = IN_TURN(MPI_Comm_get_attr(handle, keyval, &attachment, &found));
    return code == MPI_SUCCESS && found ? attachment : NULL;
}

/* The world ranks of a group: `*places`, NULL if they are the same; `*ours`: all have one. */
static int find_places(MPI_Group group, int size, bool *ours, int **places) {
    int *numbers = malloc(2 * (size_t)size * sizeof *numbers), *found = numbers + size, code = MPI_ERR_OTHER;
    bool same = true;
    if (numbers) {
        for (int rank = 0; rank < size; rank++)
            numbers[rank] = rank;
        code = MPI_Group_translate_ranks(group, size, numbers, ranks_of_world(), found);
    }
    if (code == MPI_SUCCESS)
        for (int rank = 0; rank < size; rank++) {
            *ours &= found[rank] != MPI_UNDEFINED;
            same &= found[rank] == rank;
            numbers[rank] = found[rank];
        }
    if (code == MPI_SUCCESS && *ours && !same)
        *places = numbers;
    else
        free(numbers);
    return code;
}

/* Whether the core handles a communicator: one group of ranks, all of the world. After Spawn and Merge, other
 * ranks have another polympi, if any. All ranks find the same. */
static int look_at_ranks(MPI_Comm handle, bool *ours, Communicator *comm) {
    int between = 0, code = MPI_Comm_test_inter(handle, &between);
    MPI_Group group;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(handle, &comm->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(handle, &comm->size);
    if (code != MPI_SUCCESS || between || comm->size > state.world_size)
        return code;
    code = MPI_Comm_group(handle, &group);
    if (code != MPI_SUCCESS)
        return code;
    *ours = true;
    code = find_places(group, comm->size, ours, &comm->places);
    *ours &= code == MPI_SUCCESS;
    MPI_Group_free(&group);
    return code;
}

/* NULL: out of memory, or the handle is invalid. */
static Attachment *attach(MPI_Comm handle) {
    Attachment *attachment = calloc(1, sizeof *attachment);
    Communicator *comm = (Communicator *)communicator_type->tp_alloc(communicator_type, 0);
    bool ours = false;
    if (attachment && comm) {
        IN_TURN(look_at_ranks(handle, &ours, comm));
        comm->comm = comm->named = handle;
        comm->borrowed = true;
        comm->shadow = MPI_COMM_NULL;
        comm->carrier = carrier;
        comm->probing = probes_wildcards(comm) ? PROBES_WILDCARDS : 0;
        attachment->handle = handle;
        attachment->meeting = MPI_REQUEST_NULL;
    }
    if (attachment && ours)
        attachment->comm = (Communicator *)Py_NewRef((PyObject *)comm);
    Py_XDECREF(comm);
    if (attachment && (!comm || IN_TURN(MPI_Comm_set_attr(handle, keyval, attachment)) != MPI_SUCCESS)) {
        Py_XDECREF(attachment->comm);
        free(attachment);
        attachment = NULL;
    }
    PyErr_Clear();
    return attachment;
}

Communicator *find_attached(MPI_Comm handle) {
    if (!is_alive() || handle == MPI_COMM_NULL || keyval == MPI_KEYVAL_INVALID)
        return NULL;
    give_back_freed();
    Attachment *attachment = attachment_of(handle);
    if (!attachment && !(attachment = attach(handle)))
        return NULL;
    recent[recent_place(handle)] = attachment;
    return attachment->comm;
}

PyObject *is_attached(PyObject *Py_UNUSED(module), PyObject *comm) {
    if (!PyObject_TypeCheck(comm, mpi4py.comm_type))
        return PyErr_Format(PyExc_TypeError, "is_attached(): %R isn't a communicator of mpi4py", comm);
    return PyBool_FromLong(attached(comm) != NULL);
}

PyObject *is_joint(PyObject *Py_UNUSED(module), PyObject *comm) {
    if (!PyObject_TypeCheck(comm, mpi4py.comm_type))
        return PyErr_Format(PyExc_TypeError, "is_joint(): %R isn't a communicator of mpi4py", comm);
    const Communicator *known = attached(comm);
    return PyBool_FromLong(known && known->shadow != MPI_COMM_NULL);
}

/* ---- the first collective ---- */

/* Numbers of communicators that `dup` and `split` do not use: the upper half. */
static uint64_t next_number(void) {
    static uint32_t given = (uint32_t)1 << 31;
    return (uint64_t)state.world_rank << 32 | given++;
}

/* Duplicate without user attributes, since MPI_Comm_dup would call their copy functions. Not with
 * MPI_Comm_create: with MPICH 5, the group of a mesh includes ranks that aren't in the mesh. Without the GIL.
 */
static int complete(void *context) {
    Communicator *made = context;
    int code = MPI_Comm_split(made->comm, 0, 0, &made->shadow);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(made->shadow, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS ? communicator_complete(made) : code;
}

/* Wait until all ranks are here, interruptibly and with progress on everything else; a rank that was
 * interrupted continues the wait in its next collective. What follows doesn't wait long. 0 or -1. */
static int meet(Attachment *attachment, const Call *call) {
    int code = MPI_SUCCESS, waited;
    if (attachment->met)
        return 0;
    if (attachment->meeting == MPI_REQUEST_NULL)
        code =
            IN_TURN(and_wake_all(MPI_Ibarrier(attachment->handle, &attachment->meeting), attachment->handle));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    while ((waited = wait_for(&attachment->meeting, 1, MPI_STATUSES_IGNORE, call, DEFAULT_TIMEOUT)) > 0)
        ;
    attachment->met = waited == 0;
    return waited;
}

static int make_joint(Attachment *attachment, Communicator *comm, const Call *call) {
    Communicator made = *comm; /* other threads use `comm` meanwhile */
    if (meet(attachment, call) < 0)
        return -1;
    made.number = next_number();
    int code = creation_make(complete, &made);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    comm->mailboxes = made.mailboxes;
    comm->together = made.together;
    comm->placement = made.placement;
    comm->apart = made.apart;
    comm->number = made.number;
    comm->probing = (comm->probing & ~PROBES_WILDCARDS) | made.probing;
    comm->shadow = made.shadow;
    return open_communicators_add(comm) == MPI_SUCCESS ? 0 : (PyErr_NoMemory(), -1);
}

/* For wait_poll. */
static int is_over(void *attachment) { return !((Attachment *)attachment)->joining; }

int join_first(Communicator *comm, const char *operation) {
    const Call call = {
        .operation = operation, .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm};
    Attachment *attachment = is_running() ? attachment_of(comm->comm) : NULL;
    if (!attachment)
        return running() ? raise_error("StateError", &call, "this communicator was freed: use another one")
                         : -1;
    if (attachment->joining && pthread_equal(attachment->thread, pthread_self()))
        return raise_error("StateError", &call,
                           "this thread is in the first collective of this communicator already: a signal "
                           "handler or destructor that interrupts it cannot call another one");
    if (wait_poll(is_over, attachment, &call, DEFAULT_TIMEOUT) < 0)
        return -1;
    if (comm->shadow != MPI_COMM_NULL)
        return 0;
    attachment->joining = true;
    attachment->thread = pthread_self();
    Py_INCREF(comm);
    int failed = make_joint(attachment, comm, &call);
    Py_DECREF(comm);
    attachment->joining = false;
    return failed;
}

/* ---- methods that free ---- */

/* clang-format off */
#define FREEING_METHODS(X)                                                                                   \
    X(Comm, Free) X(Comm, Disconnect)
/* clang-format on */
enum { FREEING_METHODS(TAKEOVER_PLACE) };

#define FREEING(name)                                                                                        \
    static PyObject *accelerated_##name(PyObject *self, FASTCALL_ARGS) {                                     \
        PyObject *result = call_before(&freeing_takeovers[AT_##name], self, args, nargs, kwnames);           \
        if (result && is_alive())                                                                            \
            give_back_freed();                                                                               \
        return result;                                                                                       \
    }
FREEING(Free)
FREEING(Disconnect)

Takeover freeing_takeovers[] = {FREEING_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

/* ---- the start ---- */

static int open_carrier(void *world) {
    int code = MPI_Comm_dup(((Communicator *)world)->shadow, &carrier->shadow);
    return code == MPI_SUCCESS ? MPI_Comm_set_errhandler(carrier->shadow, MPI_ERRORS_RETURN) : code;
}

PyObject *open_attachments(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *world;
    PyTypeObject *type;
    Creation creation;
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &type, &Communicator_Type, &world) || !is_running() ||
        !is_usable((Communicator *)world))
        return NULL;
    if (keyval != MPI_KEYVAL_INVALID)
        return PyErr_Format(PyExc_RuntimeError, "this was called before");
    carrier = carrier ? carrier : (Communicator *)type->tp_alloc(type, 0);
    if (!carrier)
        return NULL;
    communicator_type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    if (creation_begin(&creation, (Communicator *)world, DUP) < 0)
        return NULL;
    int code = creation_make(open_carrier, world);
    creation_end(&creation);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_freed, &keyval, NULL);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    Py_RETURN_NONE;
}

#endif
