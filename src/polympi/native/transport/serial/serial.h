/* What the files of the stand-in know of each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

/* The signatures are MPI's, and one rank needs few of their arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum element {
    BYTES,
    BOOLEAN,
    INT8,
    UINT8,
    SHORT,
    USHORT,
    INT,
    UINT,
    LONG,
    ULONG,
    FLOAT,
    DOUBLE,
    LONG_DOUBLE,
    FLOAT_COMPLEX,
    DOUBLE_COMPLEX,
    LONG_DOUBLE_COMPLEX
};

/* A basic type, or `count` times `of`, the starts `stride` bytes apart. */
struct serial_type {
    size_t nbytes; /* of the data of one */
    size_t extent; /* from one to the next of several */
    bool contiguous;
    enum element element;
    struct serial_type *of; /* NULL: a basic type */
    int count;
    long stride;
    int references; /* of derived ones: the handle, requests, types made of it */
};

void type_keep(MPI_Datatype type);
void type_drop(MPI_Datatype type);
/* Copy the data of `count` of a type, one after the other, to `to`; and back, at most `nbytes`. */
void type_pack(const void *data, int count, const struct serial_type *type, char *to);
void type_unpack(void *data, int count, const struct serial_type *type, const char *from, size_t nbytes);

/* A communicator, whose number its messages carry. */
struct serial_comm {
    unsigned long number;
};

/* Call what was registered for the end. */
void attributes_remove(void);

/* Forget the messages and receives of a communicator, or of all (NULL). */
void messages_forget(MPI_Comm comm);
/* A request that is complete, with the status of nothing. */
extern struct serial_request serial_complete;
