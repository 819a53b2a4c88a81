/* MPI as cgo can call it: macros become functions, and handles integers, whatever the library makes of them.

   Buffers are pointers to bytes: cgo would search what a void * points to for pointers of Go on each call. */
#ifndef POLYMPI_GO_CALLS_H
#define POLYMPI_GO_CALLS_H

#include <mpi.h>
#include <stdint.h>

typedef uintptr_t handle;
typedef unsigned char byte;

#define COMM(h) ((MPI_Comm)(h))
#define TYPE(h) ((MPI_Datatype)(h))
#define OP(h) ((MPI_Op)(h))
#define REQUEST(h) ((MPI_Request)(h))
#define IGNORE MPI_STATUS_IGNORE

/* What a call made, and its code. */
struct made {
    handle made;
    int code;
};

struct told {
    int code;
    int source;
    int tag;
    int count; /* in elements of the datatype that was asked for */
};

struct matched {
    handle message;
    struct told told;
};

struct joined {
    handle comm;
    int code;
    int rank;
    int size;
};

/* Constants. */
static inline handle go_world(void) { return (handle)MPI_COMM_WORLD; }
static inline handle go_no_request(void) { return (handle)MPI_REQUEST_NULL; }
static inline int go_any_source(void) { return MPI_ANY_SOURCE; }
static inline int go_any_tag(void) { return MPI_ANY_TAG; }
static inline int go_proc_null(void) { return MPI_PROC_NULL; }
static inline handle go_sum(void) { return (handle)MPI_SUM; }
static inline handle go_prod(void) { return (handle)MPI_PROD; }
static inline handle go_max(void) { return (handle)MPI_MAX; }
static inline handle go_min(void) { return (handle)MPI_MIN; }
static inline handle go_land(void) { return (handle)MPI_LAND; }
static inline handle go_lor(void) { return (handle)MPI_LOR; }
static inline handle go_bool(void) { return (handle)MPI_C_BOOL; }
static inline handle go_byte(void) { return (handle)MPI_BYTE; }
static inline handle go_int8(void) { return (handle)MPI_INT8_T; }
static inline handle go_int16(void) { return (handle)MPI_INT16_T; }
static inline handle go_int32(void) { return (handle)MPI_INT32_T; }
static inline handle go_int64(void) { return (handle)MPI_INT64_T; }
static inline handle go_uint16(void) { return (handle)MPI_UINT16_T; }
static inline handle go_uint32(void) { return (handle)MPI_UINT32_T; }
static inline handle go_uint64(void) { return (handle)MPI_UINT64_T; }
static inline handle go_float32(void) { return (handle)MPI_FLOAT; }
static inline handle go_float64(void) { return (handle)MPI_DOUBLE; }
static inline handle go_complex64(void) { return (handle)MPI_C_FLOAT_COMPLEX; }
static inline handle go_complex128(void) { return (handle)MPI_C_DOUBLE_COMPLEX; }

/* Start and errors. Errors of calls without a communicator are those of MPI_COMM_SELF. */
static inline int go_init(int level, int *rank, int *size) {
    int provided, code = MPI_Init_thread(NULL, NULL, level, &provided);
    if (!code)
        code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!code)
        code = MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (!code)
        code = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return code ? code : MPI_Comm_size(MPI_COMM_WORLD, size);
}
static inline int go_level(int i) {
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    return levels[i];
}
static inline int go_class(int code) {
    int class = code;
    MPI_Error_class(code, &class);
    return class;
}
static inline int go_text(int code, char text[MPI_MAX_ERROR_STRING]) {
    int length = 0;
    MPI_Error_string(code, text, &length);
    return length;
}

static inline int go_abort(handle comm, int code) { return MPI_Abort(COMM(comm), code); }

/* Communicators. */
static inline int go_comm_free(handle comm) {
    MPI_Comm freed = COMM(comm);
    return MPI_Comm_free(&freed);
}
static inline int go_dims_create(int ranks, int dimensions, int *dims) {
    return MPI_Dims_create(ranks, dimensions, dims);
}
/* A rank that is left over gets the size 0. */
static inline struct joined go_cart_create(handle comm, int dimensions, const int *dims, const int *periods,
                                           int reorder) {
    MPI_Comm cart = MPI_COMM_NULL;
    struct joined joined = {.rank = MPI_UNDEFINED};
    joined.code = MPI_Cart_create(COMM(comm), dimensions, dims, periods, reorder, &cart);
    joined.comm = (handle)cart;
    if (!joined.code && cart != MPI_COMM_NULL) {
        joined.code = MPI_Comm_rank(cart, &joined.rank);
        if (!joined.code)
            joined.code = MPI_Comm_size(cart, &joined.size);
    }
    return joined;
}
static inline int go_cart_dimensions(handle cart, int *dimensions) {
    return MPI_Cartdim_get(COMM(cart), dimensions);
}
static inline int go_cart_coords(handle cart, int rank, int dimensions, int *coords) {
    return MPI_Cart_coords(COMM(cart), rank, dimensions, coords);
}
static inline int go_cart_shift(handle cart, int dimension, int displacement, int *source, int *dest) {
    return MPI_Cart_shift(COMM(cart), dimension, displacement, source, dest);
}

/* Datatypes. */
static inline struct made go_contiguous(int count, handle of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int code = MPI_Type_contiguous(count, TYPE(of), &type);
    return (struct made){(handle)type, code};
}
/* Members of a struct, of which each is one element of its type; `bytes` from one struct to the next. */
static inline struct made go_struct(int count, const int64_t *places, const handle *types, int64_t bytes) {
    MPI_Datatype members = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
    int lengths[count];
    MPI_Aint displacements[count];
    MPI_Datatype of[count];
    for (int i = 0; i < count; i++) {
        lengths[i] = 1;
        displacements[i] = (MPI_Aint)places[i];
        of[i] = TYPE(types[i]);
    }
    int code = MPI_Type_create_struct(count, lengths, displacements, of, &members);
    if (!code)
        code = MPI_Type_create_resized(members, 0, (MPI_Aint)bytes, &whole);
    if (!code)
        code = MPI_Type_free(&members);
    return (struct made){(handle)whole, code};
}
static inline struct made go_subarray(int dimensions, const int *sizes, const int *part, const int *from,
                                      handle of) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int code = MPI_Type_create_subarray(dimensions, sizes, part, from, MPI_ORDER_C, TYPE(of), &type);
    return (struct made){(handle)type, code};
}
static inline int go_commit(handle type) {
    MPI_Datatype committed = TYPE(type);
    return MPI_Type_commit(&committed);
}
static inline int go_type_free(handle type) {
    MPI_Datatype freed = TYPE(type);
    return MPI_Type_free(&freed);
}

/* Blocking messages. */
static inline int go_send(const byte *b, int n, handle type, int to, int tag, handle comm) {
    return MPI_Send(b, n, TYPE(type), to, tag, COMM(comm));
}
static inline int go_ssend(const byte *b, int n, handle type, int to, int tag, handle comm) {
    return MPI_Ssend(b, n, TYPE(type), to, tag, COMM(comm));
}
static inline int go_bsend(const byte *b, int n, handle type, int to, int tag, handle comm) {
    return MPI_Bsend(b, n, TYPE(type), to, tag, COMM(comm));
}
static inline int go_rsend(const byte *b, int n, handle type, int to, int tag, handle comm) {
    return MPI_Rsend(b, n, TYPE(type), to, tag, COMM(comm));
}
static inline int go_recv(byte *b, int n, handle type, int from, int tag, handle comm) {
    return MPI_Recv(b, n, TYPE(type), from, tag, COMM(comm), IGNORE);
}
static inline struct told go_tell(int code, const MPI_Status *status, handle type) {
    struct told told = {.code = code};
    if (!code) {
        told.source = status->MPI_SOURCE;
        told.tag = status->MPI_TAG;
        told.code = MPI_Get_count(status, TYPE(type), &told.count);
    }
    return told;
}
static inline struct told go_recv_status(byte *b, int n, handle type, int from, int tag, handle comm) {
    MPI_Status status;
    return go_tell(MPI_Recv(b, n, TYPE(type), from, tag, COMM(comm), &status), &status, type);
}
static inline int go_sendrecv(const byte *out, int n, byte *in, int m, handle type, int to, int send_tag,
                              int from, int receive_tag, handle comm) {
    return MPI_Sendrecv(out, n, TYPE(type), to, send_tag, in, m, TYPE(type), from, receive_tag, COMM(comm),
                        IGNORE);
}
static inline struct matched go_mprobe(int from, int tag, handle comm, handle type) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    const int code = MPI_Mprobe(from, tag, COMM(comm), &message, &status);
    const struct told told = go_tell(code, &status, type);
    return (struct matched){(handle)message, told};
}
static inline int go_mrecv(byte *b, int n, handle type, handle message) {
    MPI_Message matched = (MPI_Message)(message);
    return MPI_Mrecv(b, n, TYPE(type), &matched, IGNORE);
}

/* Requests: a start is any function that has the arguments of MPI_Isend or MPI_Send_init. */
#define GO_START(name, MPI_name, buffer)                                                                     \
    static inline struct made name(buffer b, int n, handle type, int rank, int tag, handle comm) {           \
        MPI_Request request = MPI_REQUEST_NULL;                                                              \
        const int code = MPI_name(b, n, TYPE(type), rank, tag, COMM(comm), &request);                        \
        return (struct made){(handle)request, code};                                                         \
    }
GO_START(go_isend, MPI_Isend, const byte *)
GO_START(go_issend, MPI_Issend, const byte *)
GO_START(go_ibsend, MPI_Ibsend, const byte *)
GO_START(go_irsend, MPI_Irsend, const byte *)
GO_START(go_irecv, MPI_Irecv, byte *)
GO_START(go_send_init, MPI_Send_init, const byte *)
GO_START(go_ssend_init, MPI_Ssend_init, const byte *)
GO_START(go_bsend_init, MPI_Bsend_init, const byte *)
GO_START(go_rsend_init, MPI_Rsend_init, const byte *)
GO_START(go_recv_init, MPI_Recv_init, byte *)

static inline int go_start(handle request) {
    MPI_Request started = REQUEST(request);
    return MPI_Start(&started);
}
static inline int go_startall(int count, const handle *requests) {
    MPI_Request started[count];
    for (int i = 0; i < count; i++)
        started[i] = REQUEST(requests[i]);
    return MPI_Startall(count, started);
}
static inline int go_wait(handle request) {
    MPI_Request waited = REQUEST(request);
    return MPI_Wait(&waited, IGNORE);
}
static inline struct made go_test(handle request, int *done) {
    MPI_Request tested = REQUEST(request);
    const int code = MPI_Test(&tested, done, IGNORE);
    return (struct made){(handle)tested, code};
}
static inline int go_request_free(handle request) {
    MPI_Request freed = REQUEST(request);
    return MPI_Request_free(&freed);
}
static inline int go_waitall(int count, const handle *requests) {
    MPI_Request waited[count];
    for (int i = 0; i < count; i++)
        waited[i] = REQUEST(requests[i]);
    return MPI_Waitall(count, waited, MPI_STATUSES_IGNORE);
}

/* Memory. */
static inline int go_attach(byte *buffer, int bytes) { return MPI_Buffer_attach(buffer, bytes); }
static inline int go_detach(void) {
    void *buffer;
    int bytes;
    return MPI_Buffer_detach(&buffer, &bytes);
}
static inline int go_overhead(void) { return MPI_BSEND_OVERHEAD; }
static inline byte *go_alloc(int64_t bytes, int *code) {
    void *memory = NULL;
    *code = MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    if (!*code && bytes > 0 && (uintptr_t)memory < 4096) /* MPICH 5.0 adds its offset to the NULL of malloc */
        *code = MPI_ERR_NO_MEM;
    return memory;
}
static inline int go_free(byte *memory) { return MPI_Free_mem(memory); }

/* Collectives. */
static inline int go_barrier(handle comm) { return MPI_Barrier(COMM(comm)); }
static inline int go_bcast(byte *b, int n, handle type, int root, handle comm) {
    return MPI_Bcast(b, n, TYPE(type), root, COMM(comm));
}
static inline int go_reduce(const byte *out, byte *in, int n, handle type, handle op, int root, handle comm) {
    return MPI_Reduce(out, in, n, TYPE(type), OP(op), root, COMM(comm));
}
static inline int go_allreduce(const byte *out, byte *in, int n, handle type, handle op, handle comm) {
    return MPI_Allreduce(out, in, n, TYPE(type), OP(op), COMM(comm));
}
static inline int go_gather(const byte *out, byte *in, int n, handle type, int root, handle comm) {
    return MPI_Gather(out, n, TYPE(type), in, n, TYPE(type), root, COMM(comm));
}
static inline int go_scatter(const byte *out, byte *in, int n, handle type, int root, handle comm) {
    return MPI_Scatter(out, n, TYPE(type), in, n, TYPE(type), root, COMM(comm));
}
static inline int go_allgather(const byte *out, byte *in, int n, handle type, handle comm) {
    return MPI_Allgather(out, n, TYPE(type), in, n, TYPE(type), COMM(comm));
}
static inline int go_alltoall(const byte *out, byte *in, int n, handle type, handle comm) {
    return MPI_Alltoall(out, n, TYPE(type), in, n, TYPE(type), COMM(comm));
}
static inline int go_gatherv(const byte *out, int n, byte *in, const int *counts, const int *from,
                             handle type, int root, handle comm) {
    return MPI_Gatherv(out, n, TYPE(type), in, counts, from, TYPE(type), root, COMM(comm));
}
static inline int go_scatterv(const byte *out, const int *counts, const int *from, byte *in, int n,
                              handle type, int root, handle comm) {
    return MPI_Scatterv(out, counts, from, TYPE(type), in, n, TYPE(type), root, COMM(comm));
}
static inline int go_allgatherv(const byte *out, int n, byte *in, const int *counts, const int *from,
                                handle type, handle comm) {
    return MPI_Allgatherv(out, n, TYPE(type), in, counts, from, TYPE(type), COMM(comm));
}
static inline int go_alltoallv(const byte *out, const int *out_counts, const int *out_from, byte *in,
                               const int *in_counts, const int *in_from, handle type, handle comm) {
    return MPI_Alltoallv(out, out_counts, out_from, TYPE(type), in, in_counts, in_from, TYPE(type),
                         COMM(comm));
}

#endif
