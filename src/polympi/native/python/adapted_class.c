/* The class of Adapted. */
#include "python/adapted.h"

#include <structmember.h>

#include "python/adapted_collectives.h"
#include "python/communicator.h"

static const char *const role_names[ALL_ROLES] = {
    "object",     "peer",          "tag",         "into", "root",  "op",      "count",   "datatype", "places",
    "into_count", "into_datatype", "into_places", "comm", "array", "ignored", "unusual", "absent"};
static const char *const form_names[FORMS] = {"any", "filled", "arrays", "pieces", "slices", "items", "rows"};

/* The place of a word in a list; -1 with ValueError. */
static int place_of(const char *word, const char *const *words, int count, const char *kind) {
    for (int found = 0; found < count; found++)
        if (strcmp(words[found], word) == 0)
            return found;
    PyErr_Format(PyExc_ValueError, "there is no %s %s", kind, word);
    return -1;
}

static int take_parameters(Adapted *self, PyObject *parameters) {
    self->total = (int)PyTuple_GET_SIZE(parameters);
    self->plain = true;
    if (self->total > MOST_ARGUMENTS) {
        PyErr_Format(PyExc_ValueError, "there may be %d parameters", MOST_ARGUMENTS);
        return -1;
    }
    for (int i = 0; i < self->total; i++) {
        const char *name, *role;
        int needed, found;
        if (!PyTuple_Check(PyTuple_GET_ITEM(parameters, i))) {
            PyErr_SetString(PyExc_TypeError, "a parameter is a tuple: name, role, and whether it is needed");
            return -1;
        }
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(parameters, i), "zsp", &name, &role, &needed))
            return -1;
        if ((found = place_of(role, role_names, ALL_ROLES, "role")) < 0)
            return -1;
        self->roles[i] = (unsigned char)found;
        self->needed |= (unsigned)needed << i;
        self->least += needed;
        self->plain &= found < ARRAY && self->least == (needed ? i + 1 : self->least);
        self->sends |= found == OBJECT;
        if (name && !(self->names[i] = PyUnicode_InternFromString(name)))
            return -1;
    }
    return 0;
}

/* Whether the parameters with some role are all needed ones, or there are none: `some` says whether there
 * are. */
static bool all_needed(const Adapted *self, enum role role, bool *some) {
    bool all = true;
    *some = false;
    for (int i = 0; i < self->total; i++)
        if (self->roles[i] == role) {
            *some = true;
            all &= (self->needed >> i & 1) != 0;
        }
    return all;
}

/* Where communicators are: in a dictionary or in objects, if there is an argument for them. */
static bool has_place(const Adapted *self) {
    bool keyed, needed = all_needed(self, COMM, &keyed);
    if (self->slot)
        return keyed;
    return keyed ? needed && PyDict_Check(self->where) : PyObject_TypeCheck(self->where, &Communicator_Type);
}

/* What a send or a receive relies on. */
static bool fits_message(const Adapted *self) {
    bool counts, typed;
    bool needed = all_needed(self, COUNT, &counts) && all_needed(self, DATATYPE, &typed);
    return needed && counts == typed && (!typed || self->dtypes) &&
           (!typed || self->sends || (self->mismatched && !self->wildcards)) &&
           (self->result != TEXT || self->mismatched);
}

/* What a collective relies on. */
static bool fits_collective(const Adapted *self) {
    bool counts, typed, into_counts, into_typed, places, into_places;
    bool needed = all_needed(self, COUNT, &counts) && all_needed(self, DATATYPE, &typed) &&
                  all_needed(self, INTO_COUNT, &into_counts) &&
                  all_needed(self, INTO_DATATYPE, &into_typed) && all_needed(self, PLACES, &places) &&
                  all_needed(self, INTO_PLACES, &into_places);
    bool rows = self->form == ROWS;
    return (!self->collective->combines || self->ops) && needed && counts == rows && typed == rows &&
           into_counts == into_typed && (!places || self->collective->cuts) &&
           (!into_places || into_counts) && (!rows || (self->dtypes && self->mismatched));
}

static int check(const Adapted *self) {
    if (has_place(self) && (self->collective ? fits_collective(self) : fits_message(self)) &&
        (!self->status || (PyType_IsSubtype(self->status, &PyTuple_Type) &&
                           self->status->tp_basicsize == PyTuple_Type.tp_basicsize)))
        return 0;
    PyErr_SetString(PyExc_ValueError, "the parameters do not fit what is given for them");
    return -1;
}

/* What was given, where it is not None; a new reference. */
static PyObject *unless_none(PyObject *given) { return given == Py_None ? NULL : Py_XNewRef(given); }

/* What is made of the options that are words. 0 or -1. */
static int take_words(Adapted *self, const char *collective, const char *form) {
    int place = place_of(form, form_names, FORMS, "form");
    if (place < 0)
        return -1;
    self->form = (enum form)place;
    self->collective = collective ? collective_named(collective) : NULL;
    if (!collective || self->collective)
        return 0;
    PyErr_Format(PyExc_ValueError, "there is no collective %s", collective);
    return -1;
}

/* Where the objects of a class have their communicators; 0 of others, -1 with an exception. */
static Py_ssize_t slot_of(PyObject *where) {
    if (!PyType_Check(where))
        return 0;
    PyObject *slot = PyObject_GetAttrString(where, "_comm");
    if (!slot)
        return -1;
    const PyMemberDef *member =
        Py_TYPE(slot) == &PyMemberDescr_Type ? ((PyMemberDescrObject *)slot)->d_member : NULL;
    Py_ssize_t offset = member && member->type == T_OBJECT_EX ? member->offset : -1;
    Py_DECREF(slot);
    if (offset < 0)
        PyErr_SetString(PyExc_TypeError, "communicators are in the slot _comm of a class");
    return offset;
}

static PyObject *adapted_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"otherwise",  "where",      "parameters", "wildcards", "data",     "counted",
                            "text",       "answers",    "as_tuple",   "tag",       "reserved", "form",
                            "excluded",   "dtypes",     "ops",        "answer",    "status",   "failed",
                            "mismatched", "collective", NULL};
    PyObject *otherwise, *where, *parameters, *excluded = Py_None, *dtypes = Py_None, *answer = Py_None;
    PyObject *status = Py_None, *failed = Py_None, *mismatched = Py_None, *ops = Py_None;
    int wildcards = 1, data = 0, counts = 0, text = 0, answers = 0, as_tuple = 0, tag = ANY_TAG,
        reserved = -1;
    const char *collective = NULL, *form = "any";
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!|$ppppppiisOOOOOOOz", names, &otherwise, &where,
                                     &PyTuple_Type, &parameters, &wildcards, &data, &counts, &text, &answers,
                                     &as_tuple, &tag, &reserved, &form, &excluded, &dtypes, &ops, &answer,
                                     &status, &failed, &mismatched, &collective))
        return NULL;
    if ((excluded != Py_None && !PyType_Check(excluded)) || (status != Py_None && !PyType_Check(status)) ||
        (dtypes != Py_None && !PyDict_Check(dtypes)) || (ops != Py_None && !PyDict_Check(ops)))
        return PyErr_Format(PyExc_TypeError,
                            "excluded and status are classes, and dtypes and ops are dictionaries");
    Adapted *self = (Adapted *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->wildcards = wildcards;
    self->data = data;
    self->result = status != Py_None ? STATUS
                   : counts          ? COUNTED
                   : text            ? TEXT
                   : answers         ? ANSWER
                   : as_tuple        ? TUPLE
                                     : VALUE;
    self->tag = tag;
    self->reserved = reserved;
    self->otherwise = Py_NewRef(otherwise);
    self->where = Py_NewRef(where);
    self->slot = slot_of(where);
    self->excluded = (PyTypeObject *)unless_none(excluded);
    self->dtypes = dtypes == Py_None ? NULL : PyDict_Copy(dtypes);
    self->ops = ops == Py_None ? NULL : PyDict_Copy(ops);
    self->answer = Py_NewRef(answer);
    self->status = (PyTypeObject *)unless_none(status);
    self->failed = unless_none(failed);
    self->mismatched = unless_none(mismatched);
    if (PyErr_Occurred() || take_words(self, collective, form) < 0 || take_parameters(self, parameters) < 0 ||
        check(self) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    self->vectorcall = self->collective ? adapted_collective : self->sends ? adapted_send : adapted_receive;
    return (PyObject *)self;
}

/* All that is kept of dictionaries. */
static PyObject **found_last(Adapted *self, int place) {
    PyObject **const all[] = {&self->last_op.key,         &self->last_op.value,
                              &self->last_dtype.key,      &self->last_dtype.value,
                              &self->last_into_dtype.key, &self->last_into_dtype.value,
                              &self->last_comm.key,       &self->last_comm.value};
    return place < (int)(sizeof all / sizeof *all) ? all[place] : NULL;
}

static int adapted_traverse(Adapted *self, visitproc visit, void *arg) {
    Py_VISIT(self->otherwise);
    Py_VISIT(self->where);
    Py_VISIT(self->dtypes);
    Py_VISIT(self->ops);
    Py_VISIT(self->excluded);
    Py_VISIT(self->answer);
    Py_VISIT(self->status);
    Py_VISIT(self->failed);
    Py_VISIT(self->mismatched);
    Py_VISIT(self->known);
    for (int i = 0; found_last(self, i); i++)
        Py_VISIT(*found_last(self, i));
    return 0;
}

static int adapted_clear(Adapted *self) {
    Py_CLEAR(self->otherwise);
    Py_CLEAR(self->where);
    Py_CLEAR(self->dtypes);
    Py_CLEAR(self->ops);
    Py_CLEAR(self->excluded);
    Py_CLEAR(self->answer);
    Py_CLEAR(self->status);
    Py_CLEAR(self->failed);
    Py_CLEAR(self->mismatched);
    Py_CLEAR(self->known);
    for (int i = 0; found_last(self, i); i++)
        Py_CLEAR(*found_last(self, i));
    return 0;
}

static void adapted_dealloc(Adapted *self) {
    PyObject_GC_UnTrack(self);
    (void)adapted_clear(self);
    Py_CLEAR(self->last_datatype);
    for (int i = 0; i < self->total && i < MOST_ARGUMENTS; i++)
        Py_CLEAR(self->names[i]);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* An attribute of the function of Python. */
static PyObject *of_function(PyObject *self, void *name) {
    return PyObject_GetAttrString(((Adapted *)self)->otherwise, name);
}

static PyObject *last_message(PyObject *object, void *Py_UNUSED(unused)) {
    const Adapted *self = (Adapted *)object;
    if (!self->last_datatype)
        Py_RETURN_NONE;
    return Py_BuildValue("iinO", self->last_source, self->last_tag, self->last_count, self->last_datatype);
}

static PyGetSetDef attributes[] = {
    {"__name__", of_function, NULL, NULL, "__name__"},
    {"__qualname__", of_function, NULL, NULL, "__qualname__"},
    {"__module__", of_function, NULL, NULL, "__module__"},
    {"__doc__", of_function, NULL, NULL, "__doc__"},
    {"last", last_message, NULL,
     "Source, tag, elements and datatype of the last message of a datatype that came as was asked for; None "
     "before.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT_EX, offsetof(Adapted, otherwise), READONLY, "The function of Python."},
    {"calls", T_ULONGLONG, offsetof(Adapted, calls), READONLY,
     "How many calls the core made that succeeded."},
    {NULL, 0, 0, 0, NULL},
};

/* Functions are pickled by their names. */
static PyObject *adapted_reduce(PyObject *self, PyObject *Py_UNUSED(unused)) {
    return of_function(self, "__qualname__");
}

static PyMethodDef methods[] = {
    {"__reduce__", adapted_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *adapted_repr(Adapted *self) { return PyUnicode_FromFormat("<adapted %R>", self->otherwise); }

/* As a function of C it is the same through an instance, and a routine for help(). */
static PyObject *adapted_get(PyObject *self, PyObject *Py_UNUSED(instance), PyObject *Py_UNUSED(type)) {
    return Py_NewRef(self);
}

PyTypeObject Adapted_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Adapted",
    .tp_basicsize = sizeof(Adapted),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_doc = "Adapted(otherwise, where, parameters, *, wildcards=True, data=False, counted=False, "
              "text=False, answers=False, as_tuple=False, tag=..., reserved=-1, form='any', excluded=None, "
              "dtypes=None, ops=None, answer=None, status=None, failed=None, mismatched=None, "
              "collective=None)\n--\n\n"
              "A send, a receive or a collective with the arguments of another interface.",
    .tp_new = adapted_new,
    .tp_dealloc = (destructor)adapted_dealloc,
    .tp_traverse = (traverseproc)adapted_traverse,
    .tp_clear = (inquiry)adapted_clear,
    .tp_repr = (reprfunc)adapted_repr,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Adapted, vectorcall),
    .tp_descr_get = adapted_get,
    .tp_getset = attributes,
    .tp_members = members,
    .tp_methods = methods,
};

int adapted_prepare(void) { return adapted_collectives_prepare() < 0 ? -1 : PyType_Ready(&Adapted_Type); }
