#include "reductions/op.h"

#include <stddef.h>
#include <structmember.h>

#include "base/errors.h"

Op *built_in_ops[BUILT_IN_OPS];
const MPI_Op mpi_ops[OP_MINLOC] = {
    [OP_SUM] = MPI_SUM, [OP_PROD] = MPI_PROD, [OP_MIN] = MPI_MIN,   [OP_MAX] = MPI_MAX, [OP_LAND] = MPI_LAND,
    [OP_LOR] = MPI_LOR, [OP_LXOR] = MPI_LXOR, [OP_BAND] = MPI_BAND, [OP_BOR] = MPI_BOR, [OP_BXOR] = MPI_BXOR,
};

static const char *const names[BUILT_IN_OPS] = {
    [OP_SUM] = "SUM",   [OP_PROD] = "PROD", [OP_MIN] = "MIN",       [OP_MAX] = "MAX",
    [OP_LAND] = "LAND", [OP_LOR] = "LOR",   [OP_LXOR] = "LXOR",     [OP_BAND] = "BAND",
    [OP_BOR] = "BOR",   [OP_BXOR] = "BXOR", [OP_MINLOC] = "MINLOC", [OP_MAXLOC] = "MAXLOC",
};

Op *parse_op(PyObject *value, const char *function) {
    if (!value || value == Py_None)
        return built_in_ops[OP_SUM];
    if (likely(Py_IS_TYPE(value, &Op_Type)))
        return (Op *)value;
    raise_error("MismatchError", NULL,
                "%s(): op must be a reduction operation like polympi.SUM, or one made by "
                "polympi.op(function), not %R",
                function, value);
    return NULL;
}

/* The Python function of a reduction operation, borrowed; those of the built-in ones are in
 * polympi.operations. */
static PyObject *op_function(Op *self) {
    if (!self->function) {
        PyObject *module = PyImport_ImportModule("polympi.operations");
        PyObject *functions = module ? PyObject_GetAttrString(module, "FUNCTIONS") : NULL;
        self->function = functions ? PyObject_GetItem(functions, self->name) : NULL;
        Py_XDECREF(functions);
        Py_XDECREF(module);
    }
    return self->function;
}

static PyObject *op_call(Op *self, PyObject *args, PyObject *kwargs) {
    PyObject *function = op_function(self);
    return function ? PyObject_Call(function, args, kwargs) : NULL;
}

static Op *op_new(PyTypeObject *type, enum op code, PyObject *name, PyObject *function, bool commutative) {
    Op *self = (Op *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->code = code;
    self->name = Py_NewRef(name);
    self->function = Py_XNewRef(function);
    self->commutative = commutative;
    return self;
}

static PyObject *op_make(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *keywords[] = {"function", "commutative", "name", NULL};
    PyObject *function, *name;
    int commutative;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OpU", keywords, &function, &commutative, &name))
        return NULL;
    if (!PyCallable_Check(function))
        return PyErr_Format(PyExc_TypeError,
                            "a reduction operation needs a function of two arguments, not %R", function);
    return (PyObject *)op_new(type, OP_USER, name, function, commutative);
}

static PyObject *op_repr(Op *self) {
    return self->code == OP_USER ? PyUnicode_FromFormat("polympi.op(%R, name=%R)", self->function, self->name)
                                 : PyUnicode_FromFormat("polympi.%U", self->name);
}

/* Built-in operations are unpickled as themselves. */
static PyObject *op_reduce(Op *self, PyObject *Py_UNUSED(unused)) {
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

static int op_traverse(Op *self, visitproc visit, void *arg) {
    Py_VISIT(self->function);
    return 0;
}

static int op_clear(Op *self) {
    Py_CLEAR(self->function);
    return 0;
}

static void op_dealloc(Op *self) {
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->function);
    Py_XDECREF(self->name);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"__reduce__", (PyCFunction)op_reduce, METH_NOARGS, "How to pickle it."},
    {"__call__", (PyCFunction)(void (*)(void))op_call, METH_VARARGS | METH_KEYWORDS | METH_COEXIST,
     "__call__($self, lower, higher, /)\n--\n\n"
     "The combination of two contributions, of a lower rank and of a higher one."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(Op, name), READONLY, "As in the MPI standard, without MPI_."},
    {"commutative", T_BOOL, offsetof(Op, commutative), READONLY,
     "Whether the order of the two arguments does not matter."},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Op_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Op",
    .tp_basicsize = sizeof(Op),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "Op(function, commutative, name)\n--\n\n"
              "What reductions combine two contributions with: call it to do so. polympi.op makes one.\n\n"
              "MPI 5.0, section 6.9.2 and 6.9.5.",
    .tp_new = op_make,
    .tp_dealloc = (destructor)op_dealloc,
    .tp_traverse = (traverseproc)op_traverse,
    .tp_clear = (inquiry)op_clear,
    .tp_call = (ternaryfunc)op_call,
    .tp_repr = (reprfunc)op_repr,
    .tp_methods = methods,
    .tp_members = members,
};

int op_prepare(PyObject *module) {
    if (PyType_Ready(&Op_Type) < 0 || PyModule_AddObjectRef(module, "Op", (PyObject *)&Op_Type) < 0)
        return -1;
    for (int code = 0; code < BUILT_IN_OPS; code++) {
        PyObject *name = PyUnicode_InternFromString(names[code]);
        Op *op = name ? op_new(&Op_Type, code, name, NULL, true) : NULL;
        Py_XDECREF(name);
        if (!op || PyModule_AddObjectRef(module, names[code], (PyObject *)op) < 0)
            return -1;
        built_in_ops[code] = op;
    }
    return 0;
}
