/* Operations of reductions (MPI 5.0, section 6.9.2), and MPI's for them. */
#pragma once

#include "transport/transport.h"

enum op {
    OP_SUM,
    OP_PROD,
    OP_MIN,
    OP_MAX,
    OP_LAND,
    OP_LOR,
    OP_LXOR,
    OP_BAND,
    OP_BOR,
    OP_BXOR,
    OP_MINLOC,
    OP_MAXLOC,
    BUILT_IN_OPS,
    OP_USER = BUILT_IN_OPS
};

/* polympi.SUM and the like, and results of polympi.op. */
typedef struct {
    PyObject_HEAD enum op code;
    PyObject *name;     /* str */
    PyObject *function; /* of two arguments; NULL for a built-in one until it is needed */
    bool commutative;
} Op;

extern PyTypeObject Op_Type;
extern Op *built_in_ops[BUILT_IN_OPS];
extern const MPI_Op mpi_ops[OP_MINLOC]; /* MPI's own of the same names */

/* The argument `op`, borrowed; SUM if it was not given; NULL with MismatchError. */
Op *parse_op(PyObject *value, const char *function);

/* Add the type and the built-in operations to the module. */
int op_prepare(PyObject *module);

/* How the library combines elements of a TYPE_...; false if it cannot, and Python must. MIN and MAX of
 * floating types are operations of the core: NaN wins, as in NumPy, which MPI leaves open. So are SUM and
 * PROD of integers of 8 and 16 bits, which wrap around. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} Native;
bool native_op(int type, enum op op, Native *native);

/* Whether MPI has an operation for elements of one of its types (MPI 5.0, section 6.9.2); `*elements` is
 * their name, as "float64". */
bool is_combined_by_mpi(MPI_Datatype type, enum op op, const char **elements);

/* right = left combined with right, element by element. An MPI error code. */
int combine_elements(int type, enum op op, const void *left, void *right, int count);

/* Free MPI's objects, before MPI_Finalize. */
void ops_forget(void);
