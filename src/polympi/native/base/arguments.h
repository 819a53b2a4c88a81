/* Parsing the arguments of METH_FASTCALL | METH_KEYWORDS functions: an interned name is found by its address,
 * which costs a tenth of PyArg_ParseTupleAndKeywords. */
#pragma once

#include "base/state.h"

#define MOST_ARGUMENTS 10

/* The signature of a function. */
typedef struct {
    const char *function; /* for messages: "recv" */
    int positional;       /* how many may be given by position */
    int required;         /* how many of the first must be given */
    int total;
    const char *texts[MOST_ARGUMENTS];
    PyObject *names[MOST_ARGUMENTS]; /* the same, interned at module start */
} Signature;

/* Intern the names of these signatures; once, at module start. */
#define PREPARE_SIGNATURES(...) signatures_prepare((Signature *const[]){__VA_ARGS__, NULL})
int signatures_prepare(Signature *const *signatures);

/* The parameters of a function with METH_FASTCALL | METH_KEYWORDS, after `self`. */
#define FASTCALL_ARGS PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

/* Fill values[MOST_ARGUMENTS], borrowed; what was not given is NULL. 0, or -1 with TypeError. */
int signature_parse_slowly(const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames, PyObject **values);

/* The fast version: keywords in the order of the signature, as most calls have them, are found by one walk
 * along its names. All else is left to the slow one. */
static inline int signature_parse(const Signature *signature, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames, PyObject **values) {
    for (int i = 0; i < MOST_ARGUMENTS; i++) /* a fixed number: a few stores of vectors */
        values[i] = NULL;
    if (unlikely(nargs > signature->positional))
        return signature_parse_slowly(signature, args, nargs, kwnames, values);
    switch (nargs) { /* the common numbers without a call of memcpy, which a loop becomes */
    case 3:
        values[2] = args[2]; /* falls through */
    case 2:
        values[1] = args[1]; /* falls through */
    case 1:
        values[0] = args[0]; /* falls through */
    case 0:
        break;
    default:
        memcpy(values, args, (size_t)nargs * sizeof *values);
    }
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0, i = nargs; k < keywords; k++, i++) {
        while (i < signature->total && signature->names[i] != PyTuple_GET_ITEM(kwnames, k))
            i++;
        if (unlikely(i == signature->total))
            return signature_parse_slowly(signature, args, nargs, kwnames, values);
        values[i] = args[nargs + k];
    }
    for (Py_ssize_t i = nargs; i < signature->required; i++)
        if (unlikely(!values[i]))
            return signature_parse_slowly(signature, args, nargs, kwnames, values);
    return 0;
}

/* An int of C from an int, or from an object with __index__ (a NumPy integer). 0, or -1 with
 * TypeError/OverflowError that names function and argument. */
int parse_int_slowly(PyObject *value, int *out, const char *function, const char *name);
/* An int of one digit, which has 30 bits; false: it isn't one. */
static inline bool short_int(PyObject *value, int *out) {
    if (unlikely(!PyLong_CheckExact(value)))
        return false;
#if PY_VERSION_HEX >= 0x030C0000
    if (unlikely(!PyUnstable_Long_IsCompact((PyLongObject *)value)))
        return false;
    *out = (int)PyUnstable_Long_CompactValue((PyLongObject *)value);
#else
    Py_ssize_t digits = Py_SIZE(value); /* with the number's sign */
    if (unlikely((size_t)(digits + 1) > 2))
        return false;
    *out = (int)(digits * (Py_ssize_t)((PyLongObject *)value)->ob_digit[0]);
#endif
    return true;
}
static inline int parse_int(PyObject *value, int *out, const char *function, const char *name) {
    return likely(short_int(value, out)) ? 0 : parse_int_slowly(value, out, function, name);
}

/* A time-out given by the user in seconds; `DEFAULT_TIMEOUT` stands for state.timeout, 0 forever. */
#define DEFAULT_TIMEOUT (-1.0)

/* Seconds: NULL or None stand for DEFAULT_TIMEOUT. 0, or -1 with TypeError/ValueError. */
int parse_timeout(PyObject *value, double *timeout, const char *function);

/* A peer: a rank of the communicator or one of the special ranks that `specials` allows. 0, or -1 with
 * RankError. */
enum specials { ROOT = 0, DESTINATION = 1, SOURCE = 2 };
int check_special_rank(int rank, int size, enum specials specials, const Call *call);
static inline int check_rank(int rank, int size, enum specials specials, const Call *call) {
    return likely((unsigned)rank < (unsigned)size) ? 0 : check_special_rank(rank, size, specials, call);
}

/* The tag of a call: 0, or -1 with TagError. */
int raise_tag(const Call *call);
static inline int check_tag(bool receives, const Call *call) {
    if (likely((call->tag >= 0 && call->tag <= state.highest_tag) || (receives && call->tag == ANY_TAG)))
        return 0;
    return raise_tag(call);
}

/* Peer and tag of a message, from the arguments into the call; check_peer says whether the communicator has
 * them, after the caller has seen that it is usable. */
static inline int parse_peer(int rank, PyObject *peer, const char *role, PyObject *tag, bool receives,
                             Call *call) {
    call->rank = rank;
    call->sends = !receives;
    call->peer = receives ? ANY_SOURCE : PROC_NULL;
    call->tag = receives ? ANY_TAG : 0;
    if ((peer && unlikely(parse_int(peer, &call->peer, call->operation, role) < 0)) ||
        (tag && unlikely(parse_int(tag, &call->tag, call->operation, "tag") < 0)))
        return -1;
    return 0;
}
static inline int check_peer(int size, bool receives, const Call *call) {
    if (unlikely(check_rank(call->peer, size, receives ? SOURCE : DESTINATION, call) < 0))
        return -1;
    return check_tag(receives, call);
}
