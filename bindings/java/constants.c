/* What mpi.h knows and Java cannot read: constants, of which some are macros, and sizes. Handles are integers
   here, whatever the library makes of them. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#define HANDLE(name)                                                                                         \
    { #name, (int64_t)(intptr_t)MPI_##name }
#define NUMBER(name)                                                                                         \
    { #name, MPI_##name }
#define SIZE(type)                                                                                           \
    { "sizeof " #type, sizeof(type) }

/* The value of a constant, by its name without MPI_; 0, and `known` is 0, where there is none. */
int64_t polympi_java_constant(const char *name, int32_t *known) {
    const struct {
        const char *name;
        int64_t value;
    } constants[] = {
        HANDLE(COMM_WORLD),
        HANDLE(ERRORS_RETURN),
        HANDLE(REQUEST_NULL),
        HANDLE(BYTE),
        HANDLE(INT32_T),
        HANDLE(INT64_T),
        HANDLE(DOUBLE),
        HANDLE(SUM),
        HANDLE(PROD),
        HANDLE(MAX),
        HANDLE(MIN),
        HANDLE(LAND),
        HANDLE(STATUS_IGNORE),
        NUMBER(ANY_SOURCE),
        NUMBER(ANY_TAG),
        NUMBER(PROC_NULL),
        HANDLE(STATUSES_IGNORE),
        NUMBER(THREAD_FUNNELED),
        NUMBER(ORDER_C),
        NUMBER(BSEND_OVERHEAD),
        NUMBER(MAX_ERROR_STRING),
        SIZE(MPI_Comm),
        SIZE(MPI_Status),
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(constants[i].name, name) == 0) {
            *known = 1;
            return constants[i].value;
        }
    *known = 0;
    return 0;
}
