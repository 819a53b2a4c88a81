/* Sends, receives and collectives with the arguments of other interfaces.
 *
 * A facade has a function of Python that does all that the older call did. An Adapted stands in front of it:
 * what is given is taken apart by a table of what each parameter means, and a usual call is made at once by
 * the core. For all others the function is called, with the same arguments: it also says what is wrong with
 * them. So nothing that such a call refuses has to be known here, and a usual one costs no frame of Python.
 */
#ifndef POLYMPI_ADAPTED_H
#define POLYMPI_ADAPTED_H

#include "base/arguments.h"

/* What a parameter means. */
enum role {
    OBJECT, /* what is sent */
    PEER,
    TAG,
    INTO,
    ROOT_RANK,
    OPERATION, /* a key of `ops` */
    COUNT,     /* of elements, and */
    DATATYPE,  /* a key of their dtype: an array has one axis and is of these */
    PLACES,    /* where the pieces of all ranks begin: then COUNT has one number for each, as this has */
    INTO_COUNT,
    INTO_DATATYPE, /* as these, of what comes */
    INTO_PLACES,
    COMM,            /* a key of the communicator, or an object that has it */
    ARRAY,           /* where it is true the object, or the memory, must be an array */
    ROLES,           /* of values that are kept; of others: */
    IGNORED = ROLES, /* nothing to polympi */
    UNUSUAL,         /* where it is true the call is no usual one */
    ABSENT,          /* where it is not None the call is no usual one */
    ALL_ROLES
};

/* What a receive or a collective gives. */
enum result {
    VALUE,   /* what came */
    STATUS,  /* the pair of it and (source, tag, 0) */
    COUNTED, /* (array, source, tag, elements that came); a complex number is two */
    TEXT,    /* (text, source, tag) */
    ANSWER,  /* always the same */
    TUPLE,   /* what came as a list, as a tuple */
};

/* What a collective is given as its object. */
enum form {
    ANY_OBJECT,
    FILLED, /* at the root any object; an array elsewhere, which is filled, or what is ignored */
    ARRAYS, /* an array, and one for the result */
    PIECES, /* a list or tuple of one for each rank */
    SLICES, /* what is cut into equal slices, one for each rank: an array, a text or a list */
    ITEMS,  /* what has items, of which those of all ranks become one list */
    ROWS,   /* an array of one axis, of as many elements of a datatype; and so is the result */
    FORMS
};

struct collective; /* one of polympi's (adapted_collectives.h) */

/* What was found last in a dictionary that does not change: mostly it is looked for again. */
typedef struct {
    PyObject *key, *value; /* or NULL */
} Found;

typedef struct {
    PyObject_HEAD vectorcallfunc vectorcall;
    int total;                       /* parameters */
    PyObject *names[MOST_ARGUMENTS]; /* interned; NULL of one that has only a place */
    unsigned char roles[MOST_ARGUMENTS];
    unsigned needed; /* a bit for each parameter that must be given */
    int least;       /* how many must be, the first ones */
    bool plain;      /* the values of all of them are kept */
    bool sends;
    bool wildcards; /* whether polympi's numbers for any source and any tag may be given */
    bool data;      /* only arrays of plain memory and texts are usual */
    enum result result;
    const struct collective *collective; /* NULL: a send or receive */
    enum form form;
    PyObject *ops; /* a dictionary of its own; or NULL */
    Found last_op, last_dtype, last_into_dtype, last_comm;
    int tag, reserved;      /* the default, and one that is unusual; -1: none */
    PyObject *otherwise;    /* what other calls are */
    PyObject *where;        /* a Communicator, a dictionary of them, or a class */
    Py_ssize_t slot;        /* where its objects have them; 0: it is no class */
    PyObject *dtypes;       /* a dictionary of its own; or NULL */
    PyTypeObject *excluded; /* objects of exactly this type are unusual; or NULL */
    PyObject *answer;       /* what a send gives, and others without a result */
    PyTypeObject *status;   /* a class below tuple for (source, tag, 0); or NULL */
    PyObject *failed;       /* called with an error of polympi and the arguments; or NULL */
    PyObject *mismatched;   /* called with what came and is not what was asked for, likewise; or NULL */
    PyObject *known;        /* the status that was made last, of known_source and known_tag; or NULL */
    int known_source, known_tag;
    unsigned long long calls; /* usual ones that have succeeded */
    int last_source, last_tag;
    Py_ssize_t last_count;
    PyObject *last_datatype; /* of the last of them with a datatype; or NULL */
} Adapted;

/* Its kinds of calls. */
PyObject *adapted_send(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames);
PyObject *adapted_receive(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames);
PyObject *adapted_collective(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames);

extern PyTypeObject Adapted_Type;
int adapted_prepare(void);

#endif
