/* Sends and receives with the arguments of other interfaces.
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
    IGNORED, /* nothing to polympi */
    UNUSUAL, /* where it is true the call is no usual one */
    OBJECT,  /* what is sent */
    ARRAY,   /* where it is true the object, or the memory, must be an array */
    PEER,
    TAG,
    INTO,
    COUNT,    /* of elements, and */
    DATATYPE, /* a key of their dtype: an array has one axis and is of these */
    COMM,     /* a key of the communicator */
    ROLES
};

/* What a receive gives. */
enum result {
    VALUE,   /* what came */
    STATUS,  /* the pair of it and (source, tag, 0) */
    COUNTED, /* (array, source, tag, elements that came); a complex number is two */
    TEXT,    /* (text, source, tag) */
};

typedef struct {
    PyObject_HEAD vectorcallfunc vectorcall;
    int total;                       /* parameters */
    PyObject *names[MOST_ARGUMENTS]; /* interned; NULL of one that has only a place */
    unsigned char roles[MOST_ARGUMENTS];
    unsigned needed; /* a bit for each parameter that must be given */
    bool sends;
    bool wildcards; /* whether polympi's numbers for any source and any tag may be given */
    bool data;      /* only arrays of plain memory and texts are usual */
    enum result result;
    int tag, reserved;      /* the default, and one that is unusual; -1: none */
    PyObject *otherwise;    /* what other calls are */
    PyObject *where;        /* a Communicator, or a dictionary of them */
    PyObject *dtypes;       /* a dictionary; or NULL */
    PyTypeObject *excluded; /* objects of exactly this type are unusual; or NULL */
    PyObject *answer;       /* what a send gives */
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

/* Its two kinds of calls. */
PyObject *adapted_send(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames);
PyObject *adapted_receive(PyObject *callable, PyObject *const *args, size_t flagged, PyObject *kwnames);

extern PyTypeObject Adapted_Type;
int adapted_prepare(void);

#endif
