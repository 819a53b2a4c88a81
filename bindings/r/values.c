/* R's integers have 32 bits: an integer of 64 bits is a double in R. */
#define _DEFAULT_SOURCE
#include "values.h"

#include <string.h>

enum {
    KEY_BYTES = sizeof(((struct polympi_entry *)0)->key),
    NAME_BYTES = sizeof(((struct polympi_nested *)0)->name)
};

SEXP doubles_at(const double *from, int64_t count) {
    SEXP vector = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    memcpy(REAL(vector), from, (size_t)count * sizeof *from);
    UNPROTECT(1);
    return vector;
}

static SEXP text_at(const char *from, int length) {
    SEXP letters = PROTECT(Rf_mkCharLen(from, length));
    SEXP text = Rf_ScalarString(letters);
    UNPROTECT(1);
    return text;
}

static SEXP bytes_at(const void *from, int64_t count) {
    SEXP vector = Rf_allocVector(RAWSXP, (R_xlen_t)count);
    memcpy(RAW(vector), from, (size_t)count);
    return vector;
}

static SEXP integers_at(const int32_t *from, int64_t count) {
    SEXP vector = Rf_allocVector(INTSXP, (R_xlen_t)count);
    memcpy(INTEGER(vector), from, (size_t)count * sizeof *from);
    return vector;
}

static SEXP record_at(const struct polympi_record *from) {
    const char *names[] = {"integer", "real", "text", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, Rf_ScalarInteger((int)from->integer));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal(from->real));
    SET_VECTOR_ELT(list, 2, text_at(from->text, sizeof from->text));
    UNPROTECT(1);
    return list;
}

static SEXP list_at(const int64_t *from) {
    SEXP list = PROTECT(Rf_allocVector(VECSXP, POLYMPI_LIST_LENGTH));
    for (int i = 0; i < POLYMPI_LIST_LENGTH; i++)
        SET_VECTOR_ELT(list, i, Rf_ScalarReal((double)from[i]));
    UNPROTECT(1);
    return list;
}

static SEXP map_at(const struct polympi_entry *from) {
    SEXP list = PROTECT(Rf_allocVector(VECSXP, POLYMPI_MAP_LENGTH));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, POLYMPI_MAP_LENGTH));
    for (int i = 0; i < POLYMPI_MAP_LENGTH; i++) {
        SET_STRING_ELT(names, i, Rf_mkCharLen(from[i].key, KEY_BYTES));
        SET_VECTOR_ELT(list, i, Rf_ScalarReal(from[i].value));
    }
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

static SEXP nested_at(const struct polympi_nested *from) {
    const char *names[] = {"name", "integer", "rows", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, text_at(from->name, NAME_BYTES));
    SET_VECTOR_ELT(list, 1, Rf_ScalarReal((double)from->integer));
    SET_VECTOR_ELT(list, 2, Rf_allocVector(VECSXP, POLYMPI_NESTED_ROWS));
    for (int i = 0; i < POLYMPI_NESTED_ROWS; i++) {
        SEXP row = Rf_allocVector(VECSXP, POLYMPI_NESTED_ROWS);
        SET_VECTOR_ELT(VECTOR_ELT(list, 2), i, row);
        for (int k = 0; k < POLYMPI_NESTED_ROWS; k++)
            SET_VECTOR_ELT(row, k, Rf_ScalarReal(from->rows[i][k]));
    }
    UNPROTECT(1);
    return list;
}

SEXP value_of_message(const struct polympi_case *c, const void *message, int64_t count) {
    switch (c->payload) {
    case POLYMPI_BYTES:
        return bytes_at(message, count);
    case POLYMPI_INT32:
        return integers_at(message, count);
    case POLYMPI_INT:
        return Rf_ScalarReal((double)*(const int64_t *)message);
    case POLYMPI_DICT:
    case POLYMPI_INSTANCE:
        return record_at(message);
    case POLYMPI_STRING:
        return text_at(message, POLYMPI_STRING_LENGTH);
    case POLYMPI_LIST:
        return list_at(message);
    case POLYMPI_MAP:
        return map_at(message);
    case POLYMPI_NESTED:
        return nested_at(message);
    default:
        return doubles_at(message, count);
    }
}

static void put_text(SEXP text, char *to, int length) {
    if (TYPEOF(text) == STRSXP && Rf_length(text) == 1 && LENGTH(STRING_ELT(text, 0)) == length)
        memcpy(to, CHAR(STRING_ELT(text, 0)), (size_t)length);
}

static void put_vector(SEXP vector, SEXPTYPE type, void *to, int64_t count, size_t bytes_of_one) {
    if ((SEXPTYPE)TYPEOF(vector) == type && Rf_xlength(vector) == count)
        memcpy(to, DATAPTR_RO(vector), (size_t)count * bytes_of_one);
}

static int is_list(SEXP value, R_xlen_t length) {
    return TYPEOF(value) == VECSXP && Rf_xlength(value) == length;
}

static void put_record(SEXP value, struct polympi_record *to) {
    if (!is_list(value, 3))
        return;
    to->integer = Rf_asInteger(VECTOR_ELT(value, 0));
    to->real = Rf_asReal(VECTOR_ELT(value, 1));
    put_text(VECTOR_ELT(value, 2), to->text, sizeof to->text);
}

static void put_list(SEXP value, int64_t *to) {
    if (is_list(value, POLYMPI_LIST_LENGTH))
        for (int i = 0; i < POLYMPI_LIST_LENGTH; i++)
            to[i] = (int64_t)Rf_asReal(VECTOR_ELT(value, i));
}

static void put_map(SEXP value, struct polympi_entry *to) {
    SEXP names = PROTECT(Rf_getAttrib(value, R_NamesSymbol));
    if (is_list(value, POLYMPI_MAP_LENGTH) && TYPEOF(names) == STRSXP)
        for (int i = 0; i < POLYMPI_MAP_LENGTH; i++) {
            if (LENGTH(STRING_ELT(names, i)) == KEY_BYTES)
                memcpy(to[i].key, CHAR(STRING_ELT(names, i)), KEY_BYTES);
            to[i].value = Rf_asReal(VECTOR_ELT(value, i));
        }
    UNPROTECT(1);
}

static void put_nested(SEXP value, struct polympi_nested *to) {
    if (!is_list(value, 3) || !is_list(VECTOR_ELT(value, 2), POLYMPI_NESTED_ROWS))
        return;
    put_text(VECTOR_ELT(value, 0), to->name, NAME_BYTES);
    to->integer = (int64_t)Rf_asReal(VECTOR_ELT(value, 1));
    for (int i = 0; i < POLYMPI_NESTED_ROWS; i++) {
        const SEXP row = VECTOR_ELT(VECTOR_ELT(value, 2), i);
        if (is_list(row, POLYMPI_NESTED_ROWS))
            for (int k = 0; k < POLYMPI_NESTED_ROWS; k++)
                to->rows[i][k] = Rf_asReal(VECTOR_ELT(row, k));
    }
}

void message_of_value(const struct polympi_case *c, SEXP value, void *message, int64_t count) {
    switch (c->payload) {
    case POLYMPI_BYTES:
        put_vector(value, RAWSXP, message, count, 1);
        break;
    case POLYMPI_INT32:
        put_vector(value, INTSXP, message, count, sizeof(int32_t));
        break;
    case POLYMPI_INT:
        *(int64_t *)message = (int64_t)Rf_asReal(value);
        break;
    case POLYMPI_DICT:
    case POLYMPI_INSTANCE:
        put_record(value, message);
        break;
    case POLYMPI_STRING:
        put_text(value, message, POLYMPI_STRING_LENGTH);
        break;
    case POLYMPI_LIST:
        put_list(value, message);
        break;
    case POLYMPI_MAP:
        put_map(value, message);
        break;
    case POLYMPI_NESTED:
        put_nested(value, message);
        break;
    default:
        put_vector(value, REALSXP, message, count, sizeof(double));
    }
}
