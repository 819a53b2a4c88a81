/* What the calls of an Adapted have in common: what is given, by what it means, and what becomes of calls
 * that are unusual or have failed. */
#ifndef POLYMPI_ADAPTED_ARGUMENTS_H
#define POLYMPI_ADAPTED_ARGUMENTS_H

#include "base/errors.h"
#include "codec/numpy_api.h"
#include "python/adapted.h"
#include "python/communicator.h"

/* ---- what is given ---- */

/* False, None or 0. */
static inline bool is_no(PyObject *value) {
    return value == Py_False || value == Py_None || (PyLong_CheckExact(value) && Py_SIZE(value) == 0);
}

/* Put an argument where its role says; false: it is unusual. */
static inline bool put(const Adapted *self, int place, PyObject *value, PyObject **given, unsigned *filled) {
    unsigned bit = 1u << place;
    enum role role = self->roles[place];
    if (unlikely(*filled & bit))
        return false;
    *filled |= bit;
    if (likely(role < ARRAY)) {
        given[role] = value;
        return true;
    }
    if (role == UNUSUAL)
        return is_no(value);
    if (role == ABSENT)
        return value == Py_None;
    if (role == ARRAY && !is_no(value))
        given[role] = value;
    return true;
}

/* The arguments by their roles; what was not given is NULL. False: the call is unusual. */
static inline bool take_arguments(const Adapted *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames, PyObject **given) {
    unsigned filled = 0;
    for (int role = 0; role < ROLES; role++)
        given[role] = NULL;
    if (likely(self->plain && nargs <= self->total && nargs >= self->least && !kwnames)) {
        for (int i = 0; i < nargs; i++)
            given[self->roles[i]] = args[i];
        return true;
    }
    if (unlikely(nargs > self->total))
        return false;
    for (int i = 0; i < nargs; i++)
        if (unlikely(!put(self, i, args[i], given, &filled)))
            return false;
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < keywords; k++) {
        int i = 0;
        while (i < self->total && self->names[i] != PyTuple_GET_ITEM(kwnames, k))
            i++;
        if (unlikely(i == self->total || !put(self, i, args[nargs + k], given, &filled)))
            return false;
    }
    return likely((filled & self->needed) == self->needed);
}

/* What is in the slot of a facade's communicator, borrowed; NULL: the object is none. */
static inline PyObject *in_slot(const Adapted *self, PyObject *object) {
    return (PyObject *)Py_TYPE(object) == self->where ? *(PyObject **)((char *)object + self->slot) : NULL;
}

/* Look for a key whose hash and comparison are not functions of the user; borrowed. */
static inline PyObject *look_for(PyObject *dictionary, PyObject *key, Found *last) {
    if (likely(key == last->key))
        return last->value;
    PyObject *value = PyDict_GetItemWithError(dictionary, key);
    if (value) {
        Py_XSETREF(last->key, Py_NewRef(key));
        Py_XSETREF(last->value, Py_NewRef(value));
    }
    return value;
}

/* The communicator, borrowed; NULL: the call is unusual. `last` is NULL where what is found may change. */
static inline Communicator *take_communicator(const Adapted *self, PyObject *key, Found *last) {
    PyObject *found = self->where; /* a Communicator, if there is no key */
    if (key && self->slot)
        found = in_slot(self, key);
    else if (key && !PyLong_CheckExact(key))
        found = NULL;
    else if (key)
        found = last ? look_for(self->where, key, last) : PyDict_GetItemWithError(self->where, key);
    if (key && unlikely(!found || !PyObject_TypeCheck(found, &Communicator_Type)))
        return NULL;
    Communicator *comm = (Communicator *)found;
    return likely(state.phase == RUNNING && comm->size) ? comm : NULL;
}

/* Whether an object is an array of one axis, of as many elements of a type. */
static inline bool is_row(PyObject *object, Py_ssize_t count, const PyObject *dtype) {
    PyArrayObject *array = (PyArrayObject *)object;
    return Py_TYPE(object) == ndarray_type && PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == count &&
           (PyObject *)PyArray_DESCR(array) == dtype;
}

/* The dtype of a datatype, borrowed; NULL: there is none. */
static inline PyObject *dtype_of(const Adapted *self, PyObject *datatype, Found *last) {
    return likely(PyLong_CheckExact(datatype)) ? look_for(self->dtypes, datatype, last) : NULL;
}

/* Memory to receive into: the array if it has one axis, else its elements as one, so that fewer may come. A
 * new reference; NULL: it is unusual, or there is an exception. */
static inline PyObject *memory_of(PyObject *into) {
    PyArrayObject *array = (PyArrayObject *)into;
    if (unlikely(Py_TYPE(into) != ndarray_type))
        return NULL;
    if (likely(PyArray_NDIM(array) == 1))
        return Py_NewRef(into);
    return PyArray_ISCARRAY(array) ? PyArray_Ravel(array, NPY_CORDER) : NULL;
}

/* ---- calls that are unusual, or have failed ---- */

/* Call a function with a first argument, which is stolen, and those of the call. */
static inline PyObject *call_with(PyObject *function, PyObject *first, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *all[MOST_ARGUMENTS + 1];
    Py_ssize_t total = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    all[0] = first;
    for (Py_ssize_t i = 0; i < total; i++) /* a usual call has no more than there are parameters */
        all[i + 1] = args[i];
    PyObject *result = PyObject_Vectorcall(function, all, (size_t)nargs + 1, kwnames);
    Py_DECREF(first);
    return result;
}

/* After an exception: what the facade makes of one of polympi's. */
static inline PyObject *tell(const Adapted *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames) {
    if (!self->failed || !is_of_polympi())
        return NULL;
    PyObject *error = take_exception();
    return error ? call_with(self->failed, error, args, nargs, kwnames) : NULL;
}

#endif
