/* Collectives of raw communicators: MPI's own blocking ones, since a partner's blocking call does not match
 * a nonblocking one (MPI 5.0, section 6.12). They are made without the GIL; with a time-out aside
 * (transfer/aside.h), so that their caller can leave them. */
#ifndef POLYMPI_PYTHON_RAW_RAW_COLLECTIVE_CALL_H
#define POLYMPI_PYTHON_RAW_RAW_COLLECTIVE_CALL_H

#include "base/arguments.h"
#include "base/errors.h"
#include "python/raw/raw.h"
#include "transfer/progress/offloaded_call.h"

/* What one of MPI's calls is told; on the heap, since a call that is left goes on with it. */
typedef struct Joint Joint;
struct Joint {
    Raw *self;
    Call call;
    RawBuffer from, to; /* what is given, and where the result goes */
    bool gives, takes;  /* whether this rank has the one and the other */
    int root;
    int *counts, *places; /* of v-forms: for each rank, of elements of MPI */
    int *counts_to, *places_to;
    MPI_Op op;
    bool in_place;
    double seconds;         /* it may take; 0: for ever */
    bool limited;           /* by a time-out of its own */
    PyObject *array, *into; /* what was given, borrowed */
    PyObject *held[3];      /* what it needs where it is left */
    int (*function)(const Joint *joint);
};

/* Begin a call of this name: NULL with StateError, or what is wrong with the time-out. */
Joint *joint_open(Raw *self, const char *operation, PyObject *timeout);
/* What the call was given: 0, or -1. */
int joint_root(Joint *joint, PyObject *root);
int joint_from(Joint *joint, PyObject *array);
int joint_to(Joint *joint, PyObject *into);
/* Raise TypeError for an argument that this rank has to give. -1. */
int joint_missing(const Joint *joint, const char *name);
/* Whether a memory has as many equal pieces as there are ranks, and the elements of MPI in one. 0 or -1. */
int joint_cut(const Joint *joint, const RawBuffer *whole, const char *name, int *piece);
/* Whether a memory has as many elements of MPI. 0 or -1. */
int joint_match(const Joint *joint, const RawBuffer *mine, const char *name, int piece);
/* Make the call, without the GIL. 0 or -1; LEFT: the joint is not the caller's any more. */
int joint_make(Joint *joint, int (*function)(const Joint *joint));
/* Close: `result`, or None where this rank gets nothing; NULL where the call has failed. */
PyObject *joint_end(Joint *joint, int failed, PyObject *result);

/* What the documentation of these methods has in common. */
#define ROOT_ERROR "    RankError: there is no such rank as root.\n"
#define MEMORY_ERROR "    MismatchError: what is given is no memory of elements, or does not fit.\n"
#define COLLECTIVE_TIMEOUT                                                                                   \
    "    timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or for ever. Signal handlers run while " \
    "a call with a time-out waits, and when one without returns.\n"
#define TIMEOUT_ERROR                                                                                        \
    "    Timeout: not all ranks called it in time. MPI cannot take it back: it goes on, with its memory, "   \
    "until they do.\n"

#endif
