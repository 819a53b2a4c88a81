/* The constants of this MPI, start and end, errors. */
#include "handles.h"

#include <stdlib.h>
#include <string.h>

/* In the order of the struct Constants in C#. */
struct net_constants {
    int64_t comm_world, comm_self, comm_null, request_null, group_empty, group_null;
    int64_t any_source, any_tag, proc_null, root, undefined, bsend_overhead;
    int64_t identical, congruent, similar, unequal;
    int64_t thread_single, thread_funneled, thread_serialized, thread_multiple;
    int64_t byte, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64, boolean, packed;
    int64_t sum, product, minimum, maximum, logical_and, logical_or, bitwise_and, bitwise_or, bitwise_xor;
};

void polympi_net_constants(struct net_constants *constants) {
    *constants = (struct net_constants){
        .comm_world = HANDLE(MPI_COMM_WORLD),
        .comm_self = HANDLE(MPI_COMM_SELF),
        .comm_null = HANDLE(MPI_COMM_NULL),
        .request_null = HANDLE(MPI_REQUEST_NULL),
        .group_empty = HANDLE(MPI_GROUP_EMPTY),
        .group_null = HANDLE(MPI_GROUP_NULL),
        .any_source = MPI_ANY_SOURCE,
        .any_tag = MPI_ANY_TAG,
        .proc_null = MPI_PROC_NULL,
        .root = MPI_ROOT,
        .undefined = MPI_UNDEFINED,
        .bsend_overhead = MPI_BSEND_OVERHEAD,
        .identical = MPI_IDENT,
        .congruent = MPI_CONGRUENT,
        .similar = MPI_SIMILAR,
        .unequal = MPI_UNEQUAL,
        .thread_single = MPI_THREAD_SINGLE,
        .thread_funneled = MPI_THREAD_FUNNELED,
        .thread_serialized = MPI_THREAD_SERIALIZED,
        .thread_multiple = MPI_THREAD_MULTIPLE,
        .byte = HANDLE(MPI_BYTE),
        .int8 = HANDLE(MPI_INT8_T),
        .uint8 = HANDLE(MPI_UINT8_T),
        .int16 = HANDLE(MPI_INT16_T),
        .uint16 = HANDLE(MPI_UINT16_T),
        .int32 = HANDLE(MPI_INT32_T),
        .uint32 = HANDLE(MPI_UINT32_T),
        .int64 = HANDLE(MPI_INT64_T),
        .uint64 = HANDLE(MPI_UINT64_T),
        .float32 = HANDLE(MPI_FLOAT),
        .float64 = HANDLE(MPI_DOUBLE),
        .boolean = HANDLE(MPI_C_BOOL),
        .packed = HANDLE(MPI_PACKED),
        .sum = HANDLE(MPI_SUM),
        .product = HANDLE(MPI_PROD),
        .minimum = HANDLE(MPI_MIN),
        .maximum = HANDLE(MPI_MAX),
        .logical_and = HANDLE(MPI_LAND),
        .logical_or = HANDLE(MPI_LOR),
        .bitwise_and = HANDLE(MPI_BAND),
        .bitwise_or = HANDLE(MPI_BOR),
        .bitwise_xor = HANDLE(MPI_BXOR),
    };
}

int32_t polympi_net_init(int32_t wanted, int32_t *provided) {
    int level = wanted;
    const int code = MPI_Init_thread(NULL, NULL, wanted, &level);
    *provided = level;
    return code;
}

int32_t polympi_net_initialized(int32_t *flag) { return MPI_Initialized(flag); }
int32_t polympi_net_finalized(int32_t *flag) { return MPI_Finalized(flag); }
int32_t polympi_net_finalize(void) { return MPI_Finalize(); }
int32_t polympi_net_query_thread(int32_t *level) { return MPI_Query_thread(level); }
int32_t polympi_net_is_thread_main(int32_t *flag) { return MPI_Is_thread_main(flag); }

/* MPICH's MPI_Abort returns, and the launcher ends the process later, which would go on until then. */
int32_t polympi_net_abort(intptr_t comm, int32_t code) {
    MPI_Abort(COMM(comm), code);
    _Exit(code);
}

double polympi_net_wtime(void) { return MPI_Wtime(); }
double polympi_net_wtick(void) { return MPI_Wtick(); }

/* Names are UTF-8 in `text`, of POLYMPI_NET_TEXT bytes: more than any MPI_MAX_..._NAME or _STRING. */
enum { POLYMPI_NET_TEXT = 16384 };

int32_t polympi_net_processor_name(char *text) {
    int length = 0;
    return MPI_Get_processor_name(text, &length);
}

int32_t polympi_net_library_version(char *text) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    const int code = MPI_Get_library_version(version, &length);
    strncpy(text, version, POLYMPI_NET_TEXT - 1);
    text[POLYMPI_NET_TEXT - 1] = '\0';
    return code;
}

int32_t polympi_net_error_string(int32_t error, char *text) {
    int length = 0;
    return MPI_Error_string(error, text, &length);
}

/* An attribute of MPI_COMM_WORLD with an integer value; 0 in `found` where there is none. */
static int32_t attribute(int key, int32_t *value, int32_t *found) {
    int *place = NULL;
    const int code = MPI_Comm_get_attr(MPI_COMM_WORLD, key, &place, found);
    if (code == MPI_SUCCESS && *found)
        *value = *place;
    return code;
}

int32_t polympi_net_largest_tag(int32_t *value, int32_t *found) {
    return attribute(MPI_TAG_UB, value, found);
}

/* The class of an error by its place in the enum ErrorClass of C#; the numbers of MPI differ. */
int32_t polympi_net_error_class(int32_t error) {
    static const int classes[] = {
        MPI_SUCCESS,      MPI_ERR_BUFFER, MPI_ERR_COUNT,   MPI_ERR_TYPE,    MPI_ERR_TAG,
        MPI_ERR_COMM,     MPI_ERR_RANK,   MPI_ERR_ROOT,    MPI_ERR_GROUP,   MPI_ERR_OP,
        MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,   MPI_ERR_ARG,     MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE,
        MPI_ERR_OTHER,    MPI_ERR_INTERN, MPI_ERR_REQUEST, MPI_ERR_PENDING, MPI_ERR_IN_STATUS,
        MPI_ERR_NO_MEM,
    };
    int class = MPI_ERR_UNKNOWN;
    MPI_Error_class(error, &class);
    for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++)
        if (classes[i] == class)
            return i;
    return 13; /* unknown */
}
