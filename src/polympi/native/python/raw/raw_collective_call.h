/* Collectives of raw communicators: MPI's own blocking ones, since a partner's blocking call doesn't match a
 * nonblocking one (MPI 5.0, section 6.12). They are made without the GIL; those with a time-out are offloaded
 * (offloaded_call.h), so that their caller can leave them. */
#pragma once

#include "base/arguments.h"
#include "base/errors.h"
#include "python/raw/raw.h"
#include "transfer/progress/offloaded_call.h"

/* The arguments of an MPI call; on the heap, since a call that is left still uses them. */
typedef struct Joint Joint;
struct Joint {
    Raw *self;
    Call call;
    RawBuffer from, to; /* to send, and for the result */
    bool gives, takes;  /* whether this rank has each of them */
    int root;
    int *counts, *places; /* of v-forms: per rank, in elements of MPI */
    int *counts_to, *places_to;
    MPI_Op op;
    bool in_place;
    double seconds;         /* time-out; 0: forever */
    bool limited;           /* it has its own time-out */
    PyObject *array, *into; /* the arguments, borrowed */
    PyObject *held[3];      /* references of an offloaded call */
    int (*function)(const Joint *joint);
};

/* Begin a call of this name. NULL with StateError, or an exception for the time-out. */
Joint *joint_open(Raw *self, const char *operation, PyObject *timeout);
/* Its arguments: 0 or -1. */
int joint_root(Joint *joint, PyObject *root);
int joint_from(Joint *joint, PyObject *array);
int joint_to(Joint *joint, PyObject *into);
/* Raise TypeError for an argument that is required on this rank. -1. */
int joint_missing(const Joint *joint, const char *name);
/* Cut a buffer into equal pieces, one per rank: the elements of MPI in one. 0 or -1. */
int joint_cut(const Joint *joint, const RawBuffer *whole, const char *name, int *piece);
/* Check that a buffer has this many elements of MPI. 0 or -1. */
int joint_match(const Joint *joint, const RawBuffer *mine, const char *name, int piece);
/* Make the call, without the GIL. 0 or -1; LEFT: the caller must not use the joint any more. */
int joint_make(Joint *joint, int (*function)(const Joint *joint));
/* Close: `result`, or None if this rank gets nothing; NULL if the call has failed. */
PyObject *joint_end(Joint *joint, int failed, PyObject *result);

/* What the documentation of these methods has in common. */
#define ROOT_ERROR "    RankError: there is no such rank as root.\n"
#define MEMORY_ERROR "    MismatchError: an argument is not a buffer of elements, or does not fit.\n"
#define COLLECTIVE_TIMEOUT                                                                                   \
    "    timeout: seconds to wait; None means POLYMPI_TIMEOUT, or no limit. Signal handlers run while "      \
    "a call with a time-out waits, and when one without returns.\n"
#define TIMEOUT_ERROR                                                                                        \
    "    Timeout: not all ranks called it in time. MPI cannot take it back: it goes on, with its memory, "   \
    "until they do.\n"
