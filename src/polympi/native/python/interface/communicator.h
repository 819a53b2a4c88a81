/* The class of communicators, and its methods, which are in several files. */
#pragma once

#include "python/methods.h"
#include "transfer/communicator.h"

extern PyTypeObject Communicator_Type;

/* A communicator of the class `type` over `comm`, which it owns, with a new shadow; `named` is its public
 * handle. Collective over comm. */
PyObject *communicator_new(PyTypeObject *type, MPI_Comm comm, MPI_Comm named);

/* Method of the module: a communicator of the class with this rank alone. */
PyObject *self_world(PyObject *module, PyObject *type);

/* Set up a communicator, except its `comm` and `named`. MPI's code; without the GIL. Collective. */
int communicator_open(Communicator *self);
/* Set up everything except its communicator, shadow and number. MPI's code; without the GIL. Collective. */
int communicator_complete(Communicator *self);

/* A number for a new communicator: that of its rank 0 becomes that of all. */
uint64_t next_communicator_number(void);

/* The color and the key of split, which keep their defaults. 0, or -1 with an exception. */
int parse_split(PyObject *const *values, int *color, int *key, const Call *call);

/* Make the class, once, at module start. */
int communicator_prepare(void);

extern PyMethodDef point_to_point_methods[], collective_methods[], nonblocking_collective_methods[],
    plan_methods[], group_methods[], freeing_methods[];
int point_to_point_prepare(void);
int collectives_prepare(void);
int nonblocking_collectives_prepare(void);

/* Plan, what `plan` makes: sends, receives and collectives that are agreed on once, and made again and
 * again. */
extern PyTypeObject Plan_Type;
int plan_prepare(void);

/* ---- buffered sends (MPI 5.0, section 3.6) ---- */

/* Start sending a copy, which no call waits for. 0, or -1: NoBufferError where there is no room for it. */
int start_buffered(Communicator *self, PyObject *object, const Call *call);

/* Methods of the module: the room for such copies. */
PyObject *set_buffer(PyObject *module, PyObject *nbytes);
PyObject *buffer_in_use(PyObject *module, PyObject *unused);
