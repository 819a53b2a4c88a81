/* Instances of plain classes, by their attributes and slots, where pickle would do nothing else with them:
 * make one by `object.__new__`, and set these (polympi.instances). Likewise named tuples by their items, and
 * members of enumerations by their value. What arrives is what pickle makes.
 *
 * Classes change, are replaced by others of their name, and differ between ranks. So a class is recognised by
 * its version, which is new after each change of it or of its bases, and looked up by its name each time. A
 * receiver whose class isn't plain unpickles: the maker, which travels with the first instance, is a pickle.
 */
#include "codec/stream.h"

#include <structmember.h>

enum { FORMS = 512, PROBES = 8, MAKERS = 256, MOST_CHANGES = 16 };
enum { NO_ITEMS = -1, MEMBER = -2 }; /* as in polympi.instances */

/* What is known of a class. */
typedef struct {
    PyTypeObject *class; /* not owned: only to be compared, as `version` is never used again */
    unsigned version;
    int changes;                    /* how often it was looked into again */
    PyObject *maker;                /* bytes; NULL: it isn't plain */
    PyObject *module, *name;        /* where it is found */
    PyObject *slots;                /* a tuple: the name of each and where it lies, in turn */
    bool has_dict, sets_attributes; /* the latter: setting them writes to the dict, whatever their name */
    int items;                      /* of a named tuple; or NO_ITEMS, or MEMBER: it is an enumeration */
} Form;

static Form forms[FORMS];
static PyTypeObject *makers[MAKERS]; /* the classes of makers that arrived; likewise not owned */
static struct {
    PyObject *form_of, *dispatch_table, *nothing; /* of polympi.instances; of copyreg; () */
    PyTypeObject *enumeration;                    /* enum.EnumMeta */
} tools;

static int tools_ready(void) {
    if (likely(tools.nothing != NULL))
        return 0;
    PyObject *instances = PyImport_ImportModule("polympi.instances"),
             *copyreg = PyImport_ImportModule("copyreg"), *module = PyImport_ImportModule("enum");
    if (!tools.form_of)
        tools.form_of = get_attribute(instances, NAME("form_of"));
    if (!tools.dispatch_table)
        tools.dispatch_table = get_attribute(copyreg, NAME("dispatch_table"));
    if (!tools.enumeration)
        tools.enumeration = (PyTypeObject *)get_attribute(module, NAME("EnumMeta"));
    Py_XDECREF(instances);
    Py_XDECREF(copyreg);
    Py_XDECREF(module);
    if (tools.form_of && tools.dispatch_table && tools.enumeration)
        tools.nothing = PyTuple_New(0);
    return tools.nothing ? 0 : -1;
}

/* ---- classes ---- */

/* Whether it is worth looking into a class. */
static bool may_have_form(const PyTypeObject *class) {
    if (!(class->tp_flags & Py_TPFLAGS_HEAPTYPE))
        return false;
    if (Py_IS_TYPE((PyObject *)class, &PyType_Type))
        return class->tp_new == PyBaseObject_Type.tp_new || class->tp_base == &PyTuple_Type;
    return !tools.enumeration || Py_IS_TYPE((PyObject *)class, tools.enumeration);
}

/* The names of slots and where they lie, in turn: a new tuple; NULL, mostly without an exception, if they
 * aren't as Python makes them. Their descriptors would keep the class. */
static PyObject *slots_of(PyObject *descriptors) {
    Py_ssize_t count = PyTuple_GET_SIZE(descriptors);
    PyObject *slots = PyTuple_New(2 * count);
    for (Py_ssize_t i = 0; slots && i < count; i++) {
        PyObject *slot = PyTuple_GET_ITEM(descriptors, i), *offset = NULL;
        if (Py_IS_TYPE(slot, &PyMemberDescr_Type) &&
            ((PyMemberDescrObject *)slot)->d_member->type == T_OBJECT_EX)
            offset = PyLong_FromSsize_t(((PyMemberDescrObject *)slot)->d_member->offset);
        if (!offset) {
            Py_CLEAR(slots);
            break;
        }
        PyTuple_SET_ITEM(slots, 2 * i, Py_NewRef(PyDescr_NAME(slot)));
        PyTuple_SET_ITEM(slots, 2 * i + 1, offset);
    }
    return slots;
}

/* The version of a class, which gets one when an attribute is looked up; 0 if none is left. */
static unsigned version_of(PyTypeObject *class) {
    PyObject *any = get_attribute((PyObject *)class, NAME("__reduce_ex__"));
    Py_XDECREF(any);
    PyErr_Clear();
    return class->tp_version_tag;
}

/* What polympi.instances finds, of just this version; None if the class keeps changing. A new reference, or
 * NULL with an exception. */
static PyObject *look_into(PyTypeObject *class, unsigned *version) {
    for (int tries = 0; tries < 3; tries++) { /* the first look gives it a list of its slots */
        *version = version_of(class);
        PyObject *found = PyObject_CallOneArg(tools.form_of, (PyObject *)class);
        if (!found || (*version && *version == class->tp_version_tag))
            return found;
        Py_DECREF(found);
    }
    return Py_NewRef(Py_None);
}

/* Note what is found of a class at this place: that; NULL with an exception that ends the program. */
static const Form *learn(Form *place, PyTypeObject *class) {
    Form form = {.class = class, .changes = place->class == class ? place->changes + 1 : 0};
    PyObject *found = form.changes > MOST_CHANGES ? Py_NewRef(Py_None)
                      : tools_ready() < 0         ? NULL
                                                  : look_into(class, &form.version);
    if (!found && !PyErr_ExceptionMatches(PyExc_Exception))
        return NULL;
    PyErr_Clear();
    int has_dict, sets_attributes;
    PyObject *descriptors;
    if (found && found != Py_None &&
        PyArg_ParseTuple(found, "SUUO!ppi", &form.maker, &form.module, &form.name, &PyTuple_Type,
                         &descriptors, &has_dict, &sets_attributes, &form.items) &&
        (form.slots = slots_of(descriptors))) {
        Py_INCREF(form.maker);
        Py_INCREF(form.module);
        Py_INCREF(form.name);
        form.has_dict = has_dict;
        form.sets_attributes = sets_attributes;
    } else
        form.maker = form.module = form.name = NULL;
    PyErr_Clear();
    Py_XDECREF(found);
    const Form former = *place;
    *place = form;
    Py_XDECREF(former.maker);
    Py_XDECREF(former.module);
    Py_XDECREF(former.name);
    Py_XDECREF(former.slots);
    return place;
}

/* Where a class is noted, or would be. */
static Form *place_of(const PyTypeObject *class) {
    size_t home = ((uintptr_t) class >> 4) % FORMS;
    for (size_t i = 0; i < PROBES; i++) {
        Form *place = &forms[(home + i) % FORMS];
        if (likely(place->class == class) || !place->class)
            return place;
    }
    return &forms[home];
}

/* What is known of a class, as it is now; NULL with an exception that ends the program. */
static const Form *form_of(PyTypeObject *class) {
    Form *place = place_of(class);
    bool known =
        place->class == class &&
        (place->version == class->tp_version_tag ? place->version != 0 : place->changes > MOST_CHANGES);
    return likely(known) ? place : learn(place, class);
}

/* The object where pickle would look for the class; borrowed. */
static PyObject *found_by_name(const Form *form) {
    PyObject *module = PyDict_GetItemWithError(PyImport_GetModuleDict(), form->module);
    PyObject *found = module && PyModule_CheckExact(module)
                          ? PyDict_GetItemWithError(PyModule_GetDict(module), form->name)
                          : NULL;
    if (unlikely(!found))
        PyErr_Clear();
    return found;
}

/* Whether a function is registered that pickles instances of the class. */
static bool is_registered(PyTypeObject *class) {
    bool found = PyDict_GetItemWithError(tools.dispatch_table, (PyObject *)class);
    if (unlikely(PyErr_Occurred() != NULL))
        PyErr_Clear();
    return found;
}

/* ---- encoding ---- */

/* What is in slot i; borrowed, or NULL. */
static PyObject *slot_value(PyObject *value, PyObject *slots, Py_ssize_t i) {
    return *(PyObject **)((char *)value + PyLong_AsSsize_t(PyTuple_GET_ITEM(slots, 2 * i + 1)));
}

static Py_ssize_t count_filled(PyObject *value, PyObject *slots) {
    Py_ssize_t filled = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(slots) / 2; i++)
        filled += slot_value(value, slots, i) != NULL;
    return filled;
}

static int put_slots(Encoder *encoder, PyObject *value, PyObject *slots, Py_ssize_t filled) {
    char *at = stream_reserve(encoder->stream, LENGTH_FORM);
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_DICT, filled);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(slots) / 2; i++) {
        PyObject *item = Py_XNewRef(slot_value(value, slots, i));
        if (!item)
            continue;
        filled--;
        int outcome = encode_value(encoder, PyTuple_GET_ITEM(slots, 2 * i));
        encoder->held = 1;
        if (outcome == ENCODED)
            outcome = encode_value(encoder, item);
        Py_DECREF(item);
        if (outcome != ENCODED)
            return outcome;
    }
    return filled ? TO_PICKLE : ENCODED; /* a slot was filled or emptied meanwhile */
}

/* Without any state pickle does less, which is rare; likewise with slots and an empty dict. */
static int put_state(Encoder *encoder, PyObject *value, PyObject *slots, PyObject *dict) {
    Py_ssize_t filled = count_filled(value, slots);
    if (dict ? !PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) == 0 : !filled)
        return TO_PICKLE;
    if (!filled)
        return encode_attributes(encoder, dict);
    char *at = stream_reserve(encoder->stream, LENGTH_FORM + (dict ? 0 : TAG_FORM));
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_TUPLE, 2);
    if (!dict)
        wire_put_tag(at + LENGTH_FORM, TAG_NONE);
    int outcome = dict ? encode_attributes(encoder, dict) : ENCODED;
    return outcome == ENCODED ? put_slots(encoder, value, slots, filled) : outcome;
}

/* The maker, unless the instance before had the same. */
static int put_maker(Encoder *encoder, PyTypeObject *class, const Form *form) {
    bool again = encoder->class == class && encoder->class_version == form->version;
    Py_ssize_t nbytes = again ? 0 : PyBytes_GET_SIZE(form->maker);
    char *at = stream_reserve(encoder->stream, LENGTH_FORM + nbytes);
    if (!at)
        return FAILED;
    wire_put_length(at, TAG_INSTANCE, nbytes);
    memcpy(at + LENGTH_FORM, PyBytes_AS_STRING(form->maker), (size_t)nbytes);
    encoder->class = class;
    encoder->class_version = form->version;
    return ENCODED;
}

/* The attributes and slots of an instance of a plain class. */
static int put_plain(Encoder *encoder, PyObject *value, const Form *form) {
    PyObject *slots = Py_NewRef(form->slots), *dict = NULL; /* the table may change */
    if (form->has_dict && !(dict = PyObject_GenericGetDict(value, NULL))) {
        Py_DECREF(slots);
        return FAILED;
    }
    int outcome = put_state(encoder, value, slots, dict);
    Py_XDECREF(dict);
    Py_DECREF(slots);
    return outcome;
}

/* The value of a member of an enumeration, in a tuple: a text or number, which is as it is. */
static int put_member(Encoder *encoder, PyObject *member) {
    PyObject *name = NAME("_value_"), *dict = name ? PyObject_GenericGetDict(member, NULL) : NULL;
    PyObject *value = dict ? PyDict_GetItemWithError(dict, name) : NULL;
    Py_XINCREF(value);
    Py_XDECREF(dict);
    int outcome = value && (PyLong_CheckExact(value) || PyUnicode_CheckExact(value)) ? ENCODED : TO_PICKLE;
    char *at = outcome == ENCODED ? stream_reserve(encoder->stream, LENGTH_FORM) : NULL;
    if (at) {
        wire_put_length(at, TAG_TUPLE, 1);
        outcome = encode_value(encoder, value);
    }
    Py_XDECREF(value);
    return PyErr_Occurred() ? FAILED : outcome;
}

int encode_instance(Encoder *encoder, PyObject *value) {
    PyTypeObject *class = Py_TYPE(value);
    if (!may_have_form(class) || encoder->depth == MOST_DEPTH)
        return TO_PICKLE;
    const Form *form = form_of(class);
    if (unlikely(!form))
        return FAILED;
    if (!form->maker || found_by_name(form) != (PyObject *)class || is_registered(class))
        return TO_PICKLE;
    int items = form->items;
    if (items == NO_ITEMS ? encoder->hashed || mutable_met_before(encoder, value)
                          : items != MEMBER && PyTuple_GET_SIZE(value) != items)
        return TO_PICKLE;
    if (put_maker(encoder, class, form) != ENCODED)
        return FAILED;
    encoder->depth++;
    int outcome = items == NO_ITEMS ? put_plain(encoder, value, form)
                  : items == MEMBER ? put_member(encoder, value)
                                    : encode_tuple(encoder, value);
    encoder->depth--;
    return outcome;
}

/* ---- decoding ---- */

/* The name of an attribute, as pickle interns them: a new reference. */
static PyObject *take_name(Reader *reader) {
    PyObject *name;
    if (likely(reader_holds(reader, TAG_FORM) && wire_get_tag(reader->at) == TAG_SHORT_STR)) {
        reader->at += TAG_FORM;
        name = decode_key(reader);
    } else
        name = decode_value(reader);
    if (unlikely(name && (!PyUnicode_CheckExact(name) || is_special(name)))) {
        Py_DECREF(name);
        return raise_damaged();
    }
    if (likely(name != NULL))
        PyUnicode_InternInPlace(&name);
    return name;
}

enum way { BY_DICT, BY_ATTRIBUTE, BY_SLOT };

/* Set what a TAG_DICT holds: 0 or -1. */
static int take_attributes(Reader *reader, PyObject *made, enum way way) {
    if (!reader_holds(reader, TAG_FORM) || wire_get_tag(reader->at) != TAG_DICT)
        return raise_damaged(), -1;
    reader->at += TAG_FORM;
    Py_ssize_t count = item_count(reader);
    PyObject *dict = count >= 0 && way == BY_DICT ? PyObject_GenericGetDict(made, NULL) : NULL;
    int failed = count < 0 || (way == BY_DICT && !dict) ? -1 : 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyObject *name = take_name(reader), *item = name ? decode_value(reader) : NULL;
        if (unlikely(!item))
            failed = -1;
        else if (way == BY_DICT)
            failed = PyDict_SetItem(dict, name, item);
        else
            failed = way == BY_SLOT ? PyObject_SetAttr(made, name, item)
                                    : PyObject_GenericSetAttr(made, name, item);
        Py_XDECREF(name);
        Py_XDECREF(item);
    }
    Py_XDECREF(dict);
    return failed;
}

/* Make an instance of a plain class as the maker would. */
static PyObject *make(Reader *reader, PyTypeObject *class, bool sets_attributes, int tag) {
    PyObject *made = PyBaseObject_Type.tp_new(class, tools.nothing, NULL);
    const enum way way = sets_attributes ? BY_ATTRIBUTE : BY_DICT;
    int failed = made ? 0 : -1;
    if (made && likely(tag == TAG_DICT))
        failed = take_attributes(reader, made, way);
    else if (made) {
        reader->at += TAG_FORM;
        Py_ssize_t count = item_count(reader);
        if (count >= 0 && count != 2)
            raise_damaged();
        failed = count == 2 ? 0 : -1;
        if (!failed && reader_holds(reader, TAG_FORM) && wire_get_tag(reader->at) == TAG_NONE)
            reader->at += TAG_FORM;
        else if (!failed)
            failed = take_attributes(reader, made, way);
        if (!failed)
            failed = take_attributes(reader, made, BY_SLOT);
    }
    if (unlikely(failed))
        Py_CLEAR(made);
    return made;
}

/* The member with a value; borrowed, or NULL without an exception: the enumeration knows what to do. */
static PyObject *known_member(PyTypeObject *class, PyObject *values) {
    if (PyTuple_GET_SIZE(values) != 1)
        return NULL;
    PyObject *value = PyTuple_GET_ITEM(values, 0), *name = NAME("_value2member_map_");
    PyObject *map = name ? PyDict_GetItemWithError(class->tp_dict, name) : NULL;
    bool looks = map && PyDict_CheckExact(map) && (PyLong_CheckExact(value) || PyUnicode_CheckExact(value));
    PyObject *found = looks ? PyDict_GetItemWithError(map, value) : NULL;
    PyErr_Clear();
    return found;
}

/* Make a named tuple of its items, or find a member by its value; NULL without an exception where it takes
 * the maker. */
static PyObject *made_of(PyTypeObject *class, int items, PyObject *state) {
    if (items == MEMBER)
        return Py_XNewRef(known_member(class, state));
    if (PyTuple_GET_SIZE(state) != items)
        return NULL;
    PyObject *arguments = PyTuple_Pack(1, state);
    PyObject *made = arguments ? PyTuple_Type.tp_new(class, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    return made;
}

static size_t maker_slot(const char *maker, Py_ssize_t nbytes) {
    uint64_t hash = (uint64_t)nbytes, word;
    for (; nbytes >= (Py_ssize_t)sizeof word; maker += sizeof word, nbytes -= (Py_ssize_t)sizeof word) {
        memcpy(&word, maker, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash % MAKERS;
}

/* Whether the maker is that of the class with this form. */
static bool is_maker_of(const Form *form, const char *maker, Py_ssize_t nbytes) {
    return form->maker && PyBytes_GET_SIZE(form->maker) == nbytes &&
           memcmp(PyBytes_AS_STRING(form->maker), maker, (size_t)nbytes) == 0;
}

/* The form of the class that the maker makes, if it is known to be plain and is as it was; or NULL. */
static const Form *known_form(const char *maker, Py_ssize_t nbytes) {
    PyTypeObject *class = makers[maker_slot(maker, nbytes)];
    const Form *form = class ? place_of(class) : NULL;
    if (!form || form->class != class || !is_maker_of(form, maker, nbytes) ||
        found_by_name(form) != (PyObject *)class)
        return NULL;
    return form->version == class->tp_version_tag ? form : NULL; /* it is alive, as it was found */
}

/* By the maker itself, which the next instance may do without; takes over the state, which may be NULL. */
static PyObject *unpickle(const char *maker, Py_ssize_t nbytes, PyObject *state) {
    PyObject *made = state ? unpickled_with(maker, nbytes, state) : NULL;
    if (!made || !may_have_form(Py_TYPE(made)))
        return made;
    const Form *form = form_of(Py_TYPE(made));
    if (form && is_maker_of(form, maker, nbytes))
        makers[maker_slot(maker, nbytes)] = Py_TYPE(made);
    if (!form)
        Py_CLEAR(made);
    return made;
}

PyObject *decode_instance(Reader *reader) {
    Py_ssize_t nbytes = reader_length(reader);
    if (nbytes > 0) {
        reader->maker = reader_take(reader, (uint64_t)nbytes);
        reader->maker_bytes = nbytes;
    }
    const char *maker = nbytes < 0 ? NULL : reader->maker;
    int tag = maker && reader_holds(reader, TAG_FORM) ? wire_get_tag(reader->at) : TAG_NONE;
    if (tag != TAG_DICT && tag != TAG_TUPLE)
        return raise_damaged();
    nbytes = reader->maker_bytes;
    const Form *form = known_form(maker, nbytes);
    if (unlikely(!form) || (tag == TAG_DICT && !form->has_dict))
        return unpickle(maker, nbytes, decode_value(reader));
    PyTypeObject *class = (PyTypeObject *)Py_NewRef((PyObject *)form->class);
    PyObject *made, *state = NULL;
    int items = form->items;
    if (items == NO_ITEMS)
        made = make(reader, class, form->sets_attributes, tag);
    else {
        state = decode_value(reader);
        made = state ? made_of(class, items, state) : NULL;
        if (state && !made && !PyErr_Occurred())
            made = unpickle(maker, nbytes, Py_NewRef(state));
    }
    Py_XDECREF(state);
    Py_DECREF(class);
    return made;
}
