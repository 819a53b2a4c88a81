#include "operation.h"

#include <stddef.h>
#include <structmember.h>

#include "errors.h"

Operation *built_in_operations[BUILT_IN_OPERATIONS];

static const char *const names[BUILT_IN_OPERATIONS] = {
    [OP_SUM] = "SUM",   [OP_PROD] = "PROD", [OP_MIN] = "MIN",       [OP_MAX] = "MAX",
    [OP_LAND] = "LAND", [OP_LOR] = "LOR",   [OP_LXOR] = "LXOR",     [OP_BAND] = "BAND",
    [OP_BOR] = "BOR",   [OP_BXOR] = "BXOR", [OP_MINLOC] = "MINLOC", [OP_MAXLOC] = "MAXLOC",
};

Operation *parse_operation(PyObject *value, const char *function) {
    if (!value || value == Py_None)
        return built_in_operations[OP_SUM];
    if (likely(Py_IS_TYPE(value, &Operation_Type)))
        return (Operation *)value;
    raise_error("MismatchError", NULL,
                "%s(): op must be an operation like polympi.SUM, or one made by polympi.op(function), not %R",
                function, value);
    return NULL;
}

/* The Python function of an operation, borrowed; those of the built-in ones are in polympi.operations. */
static PyObject *operation_function(Operation *self) {
    if (!self->function) {
        PyObject *module = PyImport_ImportModule("polympi.operations");
        PyObject *functions = module ? PyObject_GetAttrString(module, "FUNCTIONS") : NULL;
        self->function = functions ? PyObject_GetItem(functions, self->name) : NULL;
        Py_XDECREF(functions);
        Py_XDECREF(module);
    }
    return self->function;
}

static PyObject *operation_call(Operation *self, PyObject *args, PyObject *kwargs) {
    PyObject *function = operation_function(self);
    return function ? PyObject_Call(function, args, kwargs) : NULL;
}

static Operation *operation_new(PyTypeObject *type, enum operation code, PyObject *name, PyObject *function,
                                bool commutative) {
    Operation *self = (Operation *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->code = code;
    self->name = Py_NewRef(name);
    self->function = Py_XNewRef(function);
    self->commutative = commutative;
    return self;
}

static PyObject *operation_make(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"function", "commutative", "name", NULL};
    PyObject *function, *name;
    int commutative;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OpU", keywords, &function, &commutative, &name))
        return NULL;
    if (!PyCallable_Check(function))
        return PyErr_Format(PyExc_TypeError, "an operation needs a function of two arguments, not %R",
                            function);
    return (PyObject *)operation_new(type, OP_USER, name, function, commutative);
}

static PyObject *operation_repr(Operation *self) {
    return self->code == OP_USER ? PyUnicode_FromFormat("polympi.op(%R, name=%R)", self->function, self->name)
                                 : PyUnicode_FromFormat("polympi.%U", self->name);
}

/* Built-in operations are unpickled as themselves. */
static PyObject *operation_reduce(Operation *self, PyObject *Py_UNUSED(unused)) {
    if (self->code == OP_USER)
        return Py_BuildValue("O(OiO)", (PyObject *)Py_TYPE(self), self->function, self->commutative,
                             self->name);
    PyObject *module = PyImport_ImportModule("polympi.operations");
    PyObject *find = module ? PyObject_GetAttrString(module, "built_in") : NULL;
    PyObject *reduced = find ? Py_BuildValue("O(O)", find, self->name) : NULL;
    Py_XDECREF(find);
    Py_XDECREF(module);
    return reduced;
}

static int operation_traverse(Operation *self, visitproc visit, void *arg) {
    Py_VISIT(self->function);
    return 0;
}

static int operation_clear(Operation *self) {
    Py_CLEAR(self->function);
    return 0;
}

static void operation_dealloc(Operation *self) {
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->function);
    Py_XDECREF(self->name);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"__reduce__", (PyCFunction)operation_reduce, METH_NOARGS, "How to pickle it."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(Operation, name), READONLY, "As in the MPI standard, without MPI_."},
    {"commutative", T_BOOL, offsetof(Operation, commutative), READONLY,
     "Whether the order of the two arguments does not matter."},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Operation_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Op",
    .tp_basicsize = sizeof(Operation),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "Op(function, commutative, name)\n--\n\n"
              "What reductions combine two contributions with: call it to do so. polympi.op makes one.\n\n"
              "MPI 5.0, section 6.9.2 and 6.9.5.",
    .tp_new = operation_make,
    .tp_dealloc = (destructor)operation_dealloc,
    .tp_traverse = (traverseproc)operation_traverse,
    .tp_clear = (inquiry)operation_clear,
    .tp_call = (ternaryfunc)operation_call,
    .tp_repr = (reprfunc)operation_repr,
    .tp_methods = methods,
    .tp_members = members,
};

int operation_prepare(PyObject *module) {
    if (PyType_Ready(&Operation_Type) < 0 ||
        PyModule_AddObjectRef(module, "Op", (PyObject *)&Operation_Type) < 0)
        return -1;
    for (int code = 0; code < BUILT_IN_OPERATIONS; code++) {
        PyObject *name = PyUnicode_InternFromString(names[code]);
        Operation *operation = name ? operation_new(&Operation_Type, code, name, NULL, true) : NULL;
        Py_XDECREF(name);
        if (!operation || PyModule_AddObjectRef(module, names[code], (PyObject *)operation) < 0)
            return -1;
        built_in_operations[code] = operation;
    }
    return 0;
}
