/* The pieces of gather, scatter, allgather and alltoall, one for each rank, of any type.
 *
 * A piece is sent in a slot of a small message, together with slots of other ranks. One that is too large for
 * that says so in its slot, and its owner sends it separately (transfer.h) to the rank that it is for.
 */
#pragma once

#include "codec/delivery.h"
#include "collectives/rounds.h"
#include "transfer/transfer.h"

/* ---- cutting ---- */

/* Cut a value into one piece per rank: the items of a list or tuple, or `counts` rows of an array each;
 * without counts as numpy.array_split does along the first axis. A new tuple; NULL with MismatchError. */
PyObject *cut_pieces(const Collective *collective, PyObject *value, PyObject *counts);

/* The first row and the number of rows of the piece of a rank, as numpy.array_split cuts. */
void split_rows(Py_ssize_t rows, int size, int rank, Py_ssize_t *first, Py_ssize_t *count);

/* ---- slots ---- */

/* The most bytes of a slot: half of the ranks' slots fill a packet, but at least 128 bytes, which is room for
 * an array of several elements. */
Py_ssize_t slot_room(int size);
/* Room for the slots of some ranks; a message that begins with one fits, too. */
static inline Py_ssize_t slots_room(int ranks, int size) { return ranks * slot_room(size); }

/* Pieces to send separately. */
typedef struct Departure {
    struct Departure *next;
    int dest;
    Outgoing out;
    bool on_board; /* not sent, but written to the board for `dest` */
    bool written;  /* that was done, or has failed */
    uint64_t end;  /* the page of the board after it */
} Departure;

/* Write the slot of a value; its bytes. A piece to be sent separately is added to the departures. If it
 * cannot be sent, the slot says so, and the exception is deferred. */
Py_ssize_t slot_write(Collective *collective, char *slot, PyObject *value, int dest, Departure **departures);
/* Write the slot of this rank for itself, which is never read; its bytes. */
Py_ssize_t slot_write_empty(const Collective *collective, char *slot);
/* Write a slot that reports this rank's deferred exception instead of the piece. */
Py_ssize_t slot_write_failed(Collective *collective, char *slot);
/* Add a departure of the same value to another rank. */
int departures_repeat(Collective *collective, Departure **departures, int dest);
/* Start all, after the slots have been sent. */
int departures_start(Collective *collective, Departure *departures);
/* Close them, and unless something has `failed`, wait for all before. */
int departures_close(Collective *collective, Departure *departures, bool failed);

/* ---- receiving ---- */

/* The pieces of all ranks at one of them: as a list, or one after another in a target. */
typedef struct {
    Collective *collective;
    PyObject *list;                /* NULL with a target */
    const Target *into;            /* NULL with a list */
    Py_ssize_t row;                /* the next of the target */
    bool dropping;                 /* after an error: receive the rest and drop it */
    Incoming **incoming;           /* of each rank; NULL: it was in its slot */
    struct BoardReceive *readings; /* of each rank, from boards; NULL: there are none */
    Departure *departures;         /* written at the same time */
    bool by_steps;                 /* nonblocking: nothing is waited for here */
    Incoming *whole; /* one that has to arrive before the next, since only it shows how many rows it has */
} PieceReceive;

/* `departures` are what this rank gives in the same call, if any. */
int piece_receive_open(PieceReceive *receiving, Collective *collective, Departure *departures,
                       const Target *into);
/* The next piece in the order of ranks: this rank's own; another one's, in a slot. Exceptions are deferred.
 */
void piece_receive_own(PieceReceive *receiving, PyObject *value);
void piece_receive_slot(PieceReceive *receiving, const char *slot, int rank);
/* By steps: whether the next slot may be read; and whether all separate messages have arrived. */
bool piece_receive_ready(PieceReceive *receiving);
bool piece_receive_test(const PieceReceive *receiving);
/* Wait for pieces that are sent separately (not after a failure), and close: the list, or the object of the
 * target, a new reference; NULL if something has failed or was deferred. */
PyObject *piece_receive_close(PieceReceive *receiving, bool failed);

/* Whether a slot's piece is sent separately; begin to receive a single such piece, NULL with an exception. */
bool slot_is_direct(const char *slot);
Incoming *await_single(Collective *collective, int owner, const Target *into);
/* A single piece, from its slot: an object, or the object of the target. */
PyObject *receive_piece(Collective *collective, const char *slot, int owner, const Target *into);
