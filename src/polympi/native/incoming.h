/* What a message on its way in consists of, for the two files that move it on. */
#ifndef POLYMPI_INCOMING_H
#define POLYMPI_INCOMING_H

#include "announcement.h"
#include "simple_array.h"
#include "transfer.h"

enum stage {
    POSTED, /* the small message has not come */
    BODY,   /* the body of an announcement is under way */
    PARTS,  /* the parts are */
    ARRIVED
};

struct Incoming {
    enum stage stage;
    Communicator *comm;
    Call call;
    MPI_Request *requests; /* of the stage; `first` while they fit there */
    int request_count, request_capacity;
    MPI_Request first[4];
    MPI_Status small;   /* of the small message */
    const char *stream; /* in the block or in `body` */
    Py_ssize_t stream_bytes;
    struct announcement announced;
    char *body; /* on the heap, when it travelled apart */
    Arrived *parts;
    int part_count;
    char *packed;      /* the data of a strided target, before they are spread */
    bool filled;       /* the data went straight into the target */
    PyObject *refusal; /* why the message does not fit the target: its data are taken in and dropped */
    PyObject *bytes;   /* a bytes object that part 0 goes straight into */
    bool waited_for;   /* by a thread, perhaps without the GIL: leave its requests alone */
    bool moving;       /* a thread moves it on, perhaps in Python code, where others run: leave it alone */
    bool abandoned;    /* nobody will wait for it */
    bool listed;
    bool has_target;
    struct Incoming *next, *previous;
    SimpleArray simple; /* instead of a target, where the message is what its array lets expect */
    Target target;
    char block[BLOCK_BYTES];
};

/* What an announcement, of nbytes in the block, or its body announces: posted. 0 or -1. */
int open_announcement(Incoming *in, Py_ssize_t nbytes);
int open_body(Incoming *in, const char *body);
/* Post contiguous data that travel apart, in pieces that an int can count. 0 or -1. */
int incoming_post_data(Incoming *in, char *data, Py_ssize_t nbytes);

/* Raise Error: the message is damaged. Always -1. */
int incoming_damaged(const Incoming *in);
/* Keep the exception that is set for the one who gets the message. */
void keep_refusal(Incoming *in);

/* Give everything back; nothing of it may be under way. */
void incoming_close(Incoming *in);
/* Take it off the list of those that `progress` moves on. */
void incoming_unlist(Incoming *in);

#endif
