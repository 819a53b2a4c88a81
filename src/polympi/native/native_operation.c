/* What the MPI library computes itself, and what the standard leaves open and we decide: NaN. */
#include "numpy_api.h"
#include "operation.h"

enum class { BOOLEAN, INTEGER, FLOATING, COMPLEX, UNKNOWN };

static enum class classify(int type, MPI_Datatype *mpi) {
#define TYPE(number, datatype, class)                                                                        \
    case number:                                                                                             \
        *mpi = datatype;                                                                                     \
        return class
    switch (type){TYPE(NPY_BOOL, MPI_C_BOOL, BOOLEAN); TYPE(NPY_BYTE, MPI_INT8_T, INTEGER);
                  TYPE(NPY_UBYTE, MPI_UINT8_T, INTEGER); TYPE(NPY_SHORT, MPI_SHORT, INTEGER);
                  TYPE(NPY_USHORT, MPI_UNSIGNED_SHORT, INTEGER); TYPE(NPY_INT, MPI_INT, INTEGER);
                  TYPE(NPY_UINT, MPI_UNSIGNED, INTEGER); TYPE(NPY_LONG, MPI_LONG, INTEGER);
                  TYPE(NPY_ULONG, MPI_UNSIGNED_LONG, INTEGER); TYPE(NPY_FLOAT, MPI_FLOAT, FLOATING);
                  TYPE(NPY_DOUBLE, MPI_DOUBLE, FLOATING); TYPE(NPY_LONGDOUBLE, MPI_LONG_DOUBLE, FLOATING);
                  TYPE(NPY_CFLOAT, MPI_C_FLOAT_COMPLEX, COMPLEX);
                  TYPE(NPY_CDOUBLE, MPI_C_DOUBLE_COMPLEX, COMPLEX);
                  TYPE(NPY_CLONGDOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX);}
#undef TYPE
return UNKNOWN;
}

/* ---- MIN and MAX of floating types ---- */

/* As numpy.minimum and numpy.maximum: NaN where either is, the lower rank's of equal ones. */
#define BETTER(order, left, right) ((right)order(left) || (right) != (right) ? (right) : (left))

#define COMBINE_AS(ctype, order)                                                                             \
    for (int i = 0; i < *count; i++)                                                                         \
    ((ctype *)right)[i] = BETTER(order, ((const ctype *)left)[i], ((ctype *)right)[i])

/* MPI_User_function, MPI 5.0, section 6.9.5. */
#define FLOATING_OPERATION(name, order)                                                                      \
    static void name(void *left, void *right, int *count, MPI_Datatype *type) {                              \
        if (*type == MPI_DOUBLE)                                                                             \
            COMBINE_AS(double, order);                                                                       \
        else if (*type == MPI_FLOAT)                                                                         \
            COMBINE_AS(float, order);                                                                        \
        else                                                                                                 \
            COMBINE_AS(long double, order);                                                                  \
    }
FLOATING_OPERATION(minimum, <)
FLOATING_OPERATION(maximum, >)

static MPI_Op floating[2]; /* MIN, MAX */
static bool floating_made;

static MPI_Op floating_operation(enum operation operation) {
    if (!floating_made) {
        bool locked = enter_mpi();
        MPI_Op_create(minimum, 1, &floating[0]);
        MPI_Op_create(maximum, 1, &floating[1]);
        leave_mpi(locked);
        floating_made = true;
    }
    return floating[operation == OP_MAX];
}

void operations_forget(void) {
    if (floating_made) {
        MPI_Op_free(&floating[0]);
        MPI_Op_free(&floating[1]);
    }
    floating_made = false;
}

/* ---- the table ---- */

/* As NumPy computes: the sum of booleans is their disjunction, the product their conjunction. */
static MPI_Op boolean_operation(enum operation operation) {
    switch (operation) {
    case OP_SUM:
    case OP_MAX:
    case OP_LOR:
    case OP_BOR:
        return MPI_LOR;
    case OP_PROD:
    case OP_MIN:
    case OP_LAND:
    case OP_BAND:
        return MPI_LAND;
    case OP_LXOR:
    case OP_BXOR:
        return MPI_LXOR;
    default:
        return MPI_OP_NULL;
    }
}

/* No logical ones: what they make of a single contribution, unlike NumPy, is not its truth. */
static MPI_Op integer_operation(enum operation operation) {
    switch (operation) {
    case OP_MIN:
        return MPI_MIN;
    case OP_MAX:
        return MPI_MAX;
    case OP_BAND:
        return MPI_BAND;
    case OP_BOR:
        return MPI_BOR;
    case OP_BXOR:
        return MPI_BXOR;
    default:
        return MPI_OP_NULL;
    }
}

bool native_operation(int type, enum operation operation, Native *native) {
    enum class class = classify(type, &native->type);
    native->op = MPI_OP_NULL;
    if (class == UNKNOWN || operation >= OP_MINLOC)
        return false;
    if (class == BOOLEAN)
        native->op = boolean_operation(operation);
    else if (operation == OP_SUM)
        native->op = MPI_SUM;
    else if (operation == OP_PROD)
        native->op = MPI_PROD;
    else if (class == INTEGER)
        native->op = integer_operation(operation);
    else if (class == FLOATING && (operation == OP_MIN || operation == OP_MAX))
        native->op = floating_operation(operation);
    return native->op != MPI_OP_NULL;
}

bool combines_bits_of_floats(int type, enum operation operation) {
    MPI_Datatype unused;
    enum class class = classify(type, &unused);
    return (class == FLOATING || class == COMPLEX) && operation >= OP_BAND && operation <= OP_BXOR;
}

/* ---- combining here ---- */

/* One double, which most reductions are of; false for other operations. */
static inline bool combine_double(enum operation operation, double left, double *right) {
    switch (operation) {
    case OP_SUM:
        *right = left + *right;
        return true;
    case OP_PROD:
        *right = left * *right;
        return true;
    case OP_MIN:
        *right = BETTER(<, left, *right);
        return true;
    case OP_MAX:
        *right = BETTER(>, left, *right);
        return true;
    default:
        return false;
    }
}

/* One long. Who calls this sees to it that nothing overflows, and that truths are 0 and 1. */
static inline bool combine_long(enum operation operation, long left, long *right) {
    switch (operation) {
    case OP_SUM:
        *right = (long)((unsigned long)left + (unsigned long)*right);
        return true;
    case OP_PROD:
        *right = (long)((unsigned long)left * (unsigned long)*right);
        return true;
    case OP_MIN:
        *right = *right < left ? *right : left;
        return true;
    case OP_MAX:
        *right = *right > left ? *right : left;
        return true;
    case OP_LAND:
    case OP_BAND:
        *right &= left;
        return true;
    case OP_LOR:
    case OP_BOR:
        *right |= left;
        return true;
    case OP_LXOR:
    case OP_BXOR:
        *right ^= left;
        return true;
    default:
        return false;
    }
}

static inline bool combine_one(int type, enum operation operation, const void *left, void *right) {
    return type == NPY_DOUBLE ? combine_double(operation, *(const double *)left, right)
                              : type == NPY_LONG && combine_long(operation, *(const long *)left, right);
}

int combine_elements(int type, enum operation operation, const void *left, void *right, int count) {
    if (count == 0 || (likely(count == 1) && likely(combine_one(type, operation, left, right))))
        return MPI_SUCCESS;
    Native native;
    if (!native_operation(type, operation, &native))
        return MPI_ERR_OP;
    bool locked = enter_mpi();
    int code = MPI_Reduce_local(left, right, count, native.type, native.op);
    leave_mpi(locked);
    return code;
}
