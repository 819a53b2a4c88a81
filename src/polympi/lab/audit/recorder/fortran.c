/* Fortran's procedures. Some call the library's own C procedures and others C's by their public names, so
   they are recorded here, and what they call inside isn't.

   Every argument is a pointer, the last one is the error code, and the lengths of strings follow: so many
   arguments are passed on as any procedure has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "recorder.h"

#define MANY                                                                                                 \
    intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,          \
        intptr_t i, intptr_t j, intptr_t k, intptr_t l, intptr_t m, intptr_t n, intptr_t o, intptr_t p,      \
        intptr_t q, intptr_t r
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r

typedef void (*procedure)(MANY);

static const char *const converters[HANDLE_KINDS] = {
    [OF_COMMUNICATOR] = "PMPI_Comm_f2c", [OF_WINDOW] = "PMPI_Win_f2c", [OF_FILE] = "PMPI_File_f2c",
    [OF_REQUEST] = "PMPI_Request_f2c",   [OF_TYPE] = "PMPI_Type_f2c",  [OF_GROUP] = "PMPI_Group_f2c",
    [OF_MESSAGE] = "PMPI_Message_f2c",
};

intptr_t from_fortran(enum handle_kind kind, int handle) {
    static with_one known[HANDLE_KINDS];
    if (abi.handle_bytes == 4 && kind != OF_FILE)
        return (intptr_t)(uint32_t)handle; /* C has the same handles */
    if (!known[kind])
        known[kind] = (with_one)library_symbol(converters[kind]);
    return known[kind] ? known[kind](handle) : 0;
}

/* ---- constants, which are addresses ---- */

enum { ADDRESSES = 4 };
static intptr_t in_place[ADDRESSES], status_ignore[ADDRESSES], statuses_ignore[ADDRESSES];

static void find_constant(intptr_t *found, const char *variable, const char *first, const char *second) {
    const char *const pointers[] = {first, second};
    void *seen = real_dlsym(RTLD_DEFAULT, variable);
    int number = 0;
    found[number++] = (intptr_t)(seen ? seen : other_symbol(variable)); /* of Open MPI */
    for (int k = 0; k < 2; k++) {
        const intptr_t *pointer = real_dlsym(RTLD_DEFAULT, pointers[k]);
        pointer = pointer ? pointer : other_symbol(pointers[k]);
        if (pointer)
            found[number++] = *pointer;
    }
}

RARE void begin_fortran(void) {
    find_constant(status_ignore, "mpi_fortran_status_ignore_", "MPI_F_STATUS_IGNORE",
                  "MPI_F08_STATUS_IGNORE");
    find_constant(statuses_ignore, "mpi_fortran_statuses_ignore_", "MPI_F_STATUSES_IGNORE",
                  "MPI_F08_STATUSES_IGNORE");
    find_constant(in_place, "mpi_fortran_in_place_", "MPIR_F_MPI_IN_PLACE", "MPIR_F08_MPI_IN_PLACE");
}

static bool is(const intptr_t *addresses, intptr_t pointer) {
    for (int k = 0; k < ADDRESSES; k++)
        if (addresses[k] && addresses[k] == pointer)
            return true;
    return false;
}

/* An argument as C passes it; what a pointer leads to stays Fortran's. A descriptor of an array begins with
   its address. */
static intptr_t translated(char letter, intptr_t pointer, bool descriptors) {
    switch (letter) {
    case 'b':
    case 'B':
        if (descriptors && pointer)
            pointer = *(const intptr_t *)pointer;
        return is(in_place, pointer) ? abi.in_place : pointer;
    case 'u':
        return is(status_ignore, pointer) ? abi.status_ignore : pointer;
    case 'U':
        return is(statuses_ignore, pointer) ? abi.statuses_ignore : pointer;
    case 'n':
    case 'i':
    case 'y':
    case 'e':
    case 's':
    case 'r':
    case 't':
        return *(const int *)pointer;
    case 'l':
        return *(const int64_t *)pointer;
    case 'c':
        return from_fortran(OF_COMMUNICATOR, *(const int *)pointer);
    case 'd':
        return from_fortran(OF_TYPE, *(const int *)pointer);
    case 'w':
        return from_fortran(OF_WINDOW, *(const int *)pointer);
    case 'h':
        return from_fortran(OF_FILE, *(const int *)pointer);
    case 'v':
        return from_fortran(OF_REQUEST, *(const int *)pointer);
    default:
        return pointer;
    }
}

static procedure real(void **known, const char *name) {
    if (LIKELY(*known != NULL))
        return (procedure)*known;
    void *found = other_symbol(name);
    if (settled)
        *known = found;
    return (procedure)found;
}

static void forward(procedure call, const intptr_t *x) {
    call(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15],
         x[16], x[17]);
}

/* The status that MPI writes is one of the recorder's where the caller ignores it. */
static void record(procedure call, int number, intptr_t *all, const void *caller, bool descriptors) {
    const struct procedure *procedure = &procedures[number];
    intptr_t arguments[MAX_ARGUMENTS];
    struct call record;
    int error = 0, count = procedure->arguments;
    for (int k = 0; k < count; k++)
        arguments[k] = translated(procedure->signature[k], all[k], descriptors);
    int status = procedure->status >= 0 ? procedure->status : procedure->statuses;
    intptr_t before = status >= 0 ? arguments[status] : 0;
    bool recorded = enter(&record, number, arguments, caller, true);
    if (recorded && status >= 0 && arguments[status] != before)
        all[status] = arguments[status];
    if (!all[count]) /* the error code is optional in the module mpi_f08 */
        all[count] = (intptr_t)&error;
    forward(call, all);
    if (recorded)
        leave(&record, *(const int *)all[count]);
}

static RARE void begin(procedure call, int kind, intptr_t *all, int count) {
    int error = 0;
    if (!all[count])
        all[count] = (intptr_t)&error;
    forward(call, all);
    begun(kind, all, *(const int *)all[count]);
}

static void called(void **known, const char *name, int number, intptr_t *all, const void *caller,
                   bool descriptors) {
    procedure call = real(known, name);
    if (!call) {
        say("this MPI library lacks a procedure of Fortran", name);
        return;
    }
    const struct procedure *procedure = &procedures[number];
    if (procedure->kind == INIT)
        begin(call, INIT, all, procedure->arguments);
    else if (recording && (!self || !self->depth))
        record(call, number, all, caller, descriptors);
    else
        forward(call, all);
}

#define WRAPPER(SYMBOL, NUMBER, DESCRIPTORS)                                                                 \
    EXPORT void SYMBOL(MANY);                                                                                \
    EXPORT void SYMBOL(MANY) {                                                                               \
        static void *known;                                                                                  \
        intptr_t all[] = {PASSED};                                                                           \
        called(&known, #SYMBOL, NUMBER, all, __builtin_return_address(0), DESCRIPTORS);                      \
    }
#define P(NAME, KIND, COUNT, SIGNATURE)
#define F(NAME, FORTRAN, KIND, COUNT, SIGNATURE)                                                             \
    WRAPPER(FORTRAN##_, NUMBER_##NAME, false)                                                                \
    WRAPPER(FORTRAN##_f08_, NUMBER_##NAME, false)                                                            \
    WRAPPER(FORTRAN##_f08ts_, NUMBER_##NAME, true)
#include "procedures.h"
