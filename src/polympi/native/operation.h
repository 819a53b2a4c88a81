/* Operations of reductions (MPI 5.0, section 6.9.2), and what MPI computes them with. */
#ifndef POLYMPI_OPERATION_H
#define POLYMPI_OPERATION_H

#include "core.h"

enum operation {
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
    BUILT_IN_OPERATIONS,
    OP_USER = BUILT_IN_OPERATIONS
};

/* polympi.SUM and the like, and what polympi.op makes. */
typedef struct {
    PyObject_HEAD enum operation code;
    PyObject *name;     /* str */
    PyObject *function; /* of two arguments; NULL for a built-in one until it is needed */
    bool commutative;
} Operation;

extern PyTypeObject Operation_Type;
extern Operation *built_in_operations[BUILT_IN_OPERATIONS];

/* What was given as `op`: SUM if it was not (borrowed), or NULL with MismatchError. */
Operation *parse_operation(PyObject *value, const char *function);

/* Make the type and the built-in operations, and put them in the module. 0 or -1. */
int operation_prepare(PyObject *module);

/* How the library combines elements of a TYPE_...; false where it cannot, and Python must. MIN and MAX of
 * floating types are operations of ours: NaN wins, as in NumPy, which MPI leaves open. */
typedef struct {
    MPI_Datatype type;
    MPI_Op op;
} Native;
bool native_operation(int type, enum operation operation, Native *native);

/* Whether this would combine the bits of floating-point numbers, which nobody defines. */
bool combines_bits_of_floats(int type, enum operation operation);

/* right = left combined with right, element by element. An MPI error code. */
int combine_elements(int type, enum operation operation, const void *left, void *right, int count);

/* Free MPI's objects, before MPI_Finalize. */
void operations_forget(void);

#endif
