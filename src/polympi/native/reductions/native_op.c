/* Which MPI operation combines which elements, and operations of the core where MPI's differ from NumPy's. */
#include "codec/element_types.h"
#include "reductions/op.h"
#include "transport/calls.h"

enum class { TRUTH, WHOLE, REAL, COMPLEX, UNKNOWN };

static enum class classify(int type, MPI_Datatype *to) {
#define CLASS_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format)                                     \
    case TYPE_##name:                                                                                        \
        *to = mpi;                                                                                           \
        return kind;
    switch (type){ELEMENT_TYPES(CLASS_OF_TYPE)}
#undef CLASS_OF_TYPE
    return UNKNOWN;
}

/* ---- operations of the core ---- */

/* As numpy.minimum and numpy.maximum: NaN where either is, the lower rank's of equal ones. */
#define BETTER(order, left, right) ((right)order(left) || (right) != (right) ? (right) : (left))

#define COMBINE_AS(ctype, order)                                                                             \
    for (int i = 0; i < *count; i++)                                                                         \
    ((ctype *)right)[i] = BETTER(order, ((const ctype *)left)[i], ((ctype *)right)[i])

/* MPI_User_function, MPI 5.0, section 6.9.5. */
#define FLOATING_OP(name, order)                                                                             \
    static void name(void *left, void *right, int *count, MPI_Datatype *type) {                              \
        if (*type == MPI_DOUBLE)                                                                             \
            COMBINE_AS(double, order);                                                                       \
        else if (*type == MPI_FLOAT)                                                                         \
            COMBINE_AS(float, order);                                                                        \
        else                                                                                                 \
            COMBINE_AS(long double, order);                                                                  \
    }
FLOATING_OP(minimum, <)
FLOATING_OP(maximum, >)

/* As numpy.add and numpy.multiply of integers of 8 and 16 bits, signed or not, which wrap around: the sums of
 * Open MPI 5.0 stay at the greatest number where it has AVX instructions. */
#define WRAP_AS(ctype, sign)                                                                                 \
    for (int i = 0; i < *count; i++)                                                                         \
    ((ctype *)right)[i] = (ctype)((unsigned)((const ctype *)left)[i] sign(unsigned)((ctype *)right)[i])

#define WRAPPING_OP(name, sign)                                                                              \
    static void name(void *left, void *right, int *count, MPI_Datatype *type) {                              \
        if (*type == MPI_INT8_T || *type == MPI_UINT8_T)                                                     \
            WRAP_AS(uint8_t, sign);                                                                          \
        else                                                                                                 \
            WRAP_AS(uint16_t, sign);                                                                         \
    }
WRAPPING_OP(wrapping_sum, +)
WRAPPING_OP(wrapping_product, *)

enum own { MINIMUM, MAXIMUM, WRAPPING_SUM, WRAPPING_PRODUCT, OWN_OPS };
static MPI_User_function *const own_functions[OWN_OPS] = {minimum, maximum, wrapping_sum, wrapping_product};
static MPI_Op own_ops[OWN_OPS];
static bool own_made;

static MPI_Op own_op(enum own own) {
    for (int i = 0; !own_made && i < OWN_OPS; i++)
        IN_TURN(MPI_Op_create(own_functions[i], 1, &own_ops[i]));
    own_made = true;
    return own_ops[own];
}

void ops_forget(void) {
    for (int i = 0; own_made && i < OWN_OPS; i++)
        MPI_Op_free(&own_ops[i]);
    own_made = false;
}

/* ---- the table ---- */

/* As NumPy computes: the sum of booleans is their disjunction, the product their conjunction. */
static const MPI_Op boolean_ops[OP_MINLOC] = {
    [OP_SUM] = MPI_LOR, [OP_PROD] = MPI_LAND, [OP_MIN] = MPI_LAND,  [OP_MAX] = MPI_LOR, [OP_LAND] = MPI_LAND,
    [OP_LOR] = MPI_LOR, [OP_LXOR] = MPI_LXOR, [OP_BAND] = MPI_LAND, [OP_BOR] = MPI_LOR, [OP_BXOR] = MPI_LXOR,
};

/* No logical ones: of a single contribution they give its value, where NumPy gives its truth. */
static MPI_Op integer_op(enum op op) { return op >= OP_LAND && op <= OP_LXOR ? MPI_OP_NULL : mpi_ops[op]; }

static bool is_short(int type) {
    return type == TYPE_INT8 || type == TYPE_UINT8 || type == TYPE_SHORT || type == TYPE_USHORT;
}

bool native_op(int type, enum op op, Native *native) {
    enum class class = classify(type, &native->type);
    native->op = MPI_OP_NULL;
    if (class == UNKNOWN || op >= OP_MINLOC)
        return false;
    if (class == TRUTH)
        native->op = boolean_ops[op];
    else if (is_short(type) && op <= OP_PROD)
        native->op = own_op(op == OP_SUM ? WRAPPING_SUM : WRAPPING_PRODUCT);
    else if (op == OP_SUM)
        native->op = MPI_SUM;
    else if (op == OP_PROD)
        native->op = MPI_PROD;
    else if (class == WHOLE)
        native->op = integer_op(op);
    else if (class == REAL && (op == OP_MIN || op == OP_MAX))
        native->op = own_op(op == OP_MIN ? MINIMUM : MAXIMUM);
    return native->op != MPI_OP_NULL;
}

bool is_combined_by_mpi(MPI_Datatype type, enum op op, const char **elements) {
    enum class class = UNKNOWN; /* bytes */
    *elements = "bytes";
#define CLASS_OF_ELEMENTS(name, number, ctype, kind, npy, mpi, text, format)                                 \
    if (type == mpi) {                                                                                       \
        class = kind;                                                                                        \
        *elements = text;                                                                                    \
    }
    ELEMENT_TYPES(CLASS_OF_ELEMENTS)
#undef CLASS_OF_ELEMENTS
    bool logical = op >= OP_LAND && op <= OP_LXOR, bitwise = op >= OP_BAND && op <= OP_BXOR;
    switch (class) {
    case TRUTH:
        return logical;
    case WHOLE:
        return op < OP_MINLOC;
    case REAL:
        return op <= OP_MAX;
    case COMPLEX:
        return op <= OP_PROD;
    default:
        return bitwise;
    }
}

/* ---- combining contributions ---- */

/* One double, the most common contribution; false for other operations. */
static inline bool combine_double(enum op op, double left, double *right) {
    switch (op) {
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

/* One long. The caller ensures that nothing overflows, and that truths are 0 and 1. */
static inline bool combine_long(enum op op, long left, long *right) {
    switch (op) {
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

static inline bool combine_one(int type, enum op op, const void *left, void *right) {
    return type == TYPE_DOUBLE ? combine_double(op, *(const double *)left, right)
                               : type == TYPE_LONG && combine_long(op, *(const long *)left, right);
}

int combine_elements(int type, enum op op, const void *left, void *right, int count) {
    if (count == 0 || (likely(count == 1) && likely(combine_one(type, op, left, right))))
        return MPI_SUCCESS;
    Native native;
    if (!native_op(type, op, &native))
        return MPI_ERR_OP;
    return IN_TURN(MPI_Reduce_local(left, right, count, native.type, native.op));
}
