/* A stand-in for an MPI library, of one rank: as much of MPI as the core calls, with the names and the
 * meaning of the standard, so that the core compiles against it as against any other.
 *
 * The rank sends to itself, and is alone in all collectives. All functions may be called from several
 * threads.
 */
#pragma once

#define POLYMPI_SERIAL 1

typedef struct serial_comm *MPI_Comm;
typedef struct serial_type *MPI_Datatype;
typedef struct serial_op *MPI_Op;
typedef struct serial_request *MPI_Request;
typedef struct serial_file *MPI_File;
typedef int MPI_Info, MPI_Errhandler, MPI_Group;
typedef long long MPI_Count, MPI_Offset;
typedef long MPI_Aint;
typedef struct serial_window *MPI_Win;
typedef struct {
    int tag;
    MPI_Comm comm;
} MPI_Message;

typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    int cancelled;
    long long nbytes;
} MPI_Status;

typedef void MPI_User_function(void *left, void *right, int *count, MPI_Datatype *type);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);

/* ---- handles and numbers ---- */

extern struct serial_comm serial_world, serial_self;
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_GROUP_NULL ((MPI_Group)-1)
#define MPI_COMM_WORLD (&serial_world)
#define MPI_COMM_SELF (&serial_self)

extern struct serial_type serial_byte, serial_bool, serial_int8, serial_uint8, serial_short, serial_ushort,
    serial_int, serial_uint, serial_long, serial_ulong, serial_float, serial_double, serial_long_double,
    serial_float_complex, serial_double_complex, serial_long_double_complex;
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_BYTE (&serial_byte)
#define MPI_C_BOOL (&serial_bool)
#define MPI_INT8_T (&serial_int8)
#define MPI_UINT8_T (&serial_uint8)
#define MPI_SHORT (&serial_short)
#define MPI_UNSIGNED_SHORT (&serial_ushort)
#define MPI_INT (&serial_int)
#define MPI_UNSIGNED (&serial_uint)
#define MPI_LONG (&serial_long)
#define MPI_UNSIGNED_LONG (&serial_ulong)
#define MPI_UINT64_T (&serial_ulong)
#define MPI_FLOAT (&serial_float)
#define MPI_DOUBLE (&serial_double)
#define MPI_LONG_DOUBLE (&serial_long_double)
#define MPI_C_FLOAT_COMPLEX (&serial_float_complex)
#define MPI_C_DOUBLE_COMPLEX (&serial_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX (&serial_long_double_complex)

extern struct serial_op serial_sum, serial_prod, serial_min, serial_max, serial_land, serial_lor, serial_lxor,
    serial_band, serial_bor, serial_bxor;
#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_SUM (&serial_sum)
#define MPI_PROD (&serial_prod)
#define MPI_MIN (&serial_min)
#define MPI_MAX (&serial_max)
#define MPI_LAND (&serial_land)
#define MPI_LOR (&serial_lor)
#define MPI_LXOR (&serial_lxor)
#define MPI_BAND (&serial_band)
#define MPI_BOR (&serial_bor)
#define MPI_BXOR (&serial_bxor)

#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_KEYVAL_INVALID (-1)

enum { MPI_INFO_NULL, MPI_ERRORS_RETURN };
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
enum { MPI_PROC_NULL = -1, MPI_ANY_SOURCE = -2, MPI_ANY_TAG = -1, MPI_UNDEFINED = -32766 };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_COMM_TYPE_SHARED = 1, MPI_TAG_UB = 1 };
enum { MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED };
enum {
    MPI_MAX_ERROR_STRING = 128,
    MPI_MAX_LIBRARY_VERSION_STRING = 128,
    MPI_MAX_OBJECT_NAME = 128,
    MPI_MAX_PROCESSOR_NAME = 128
};
enum {
    MPI_SUCCESS,
    MPI_ERR_COUNT,
    MPI_ERR_TAG,
    MPI_ERR_RANK,
    MPI_ERR_ROOT,
    MPI_ERR_OP,
    MPI_ERR_ARG,
    MPI_ERR_TRUNCATE,
    MPI_ERR_OTHER,
    MPI_ERR_IN_STATUS,
    MPI_ERR_PENDING,
    MPI_ERR_ACCESS,
    MPI_ERR_FILE_EXISTS,
    MPI_ERR_IO,
    MPI_ERR_NO_SPACE,
    MPI_ERR_NO_SUCH_FILE,
    MPI_ERR_QUOTA,
    MPI_ERR_READ_ONLY
};
enum { MPI_MODE_RDONLY = 1, MPI_MODE_WRONLY = 2, MPI_MODE_RDWR = 4 };

/* ---- the process (process.c) ---- */

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Query_thread(int *provided);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Get_library_version(char *version, int *length);
int MPI_Get_processor_name(char *name, int *length);
int MPI_Error_class(int code, int *class);
int MPI_Error_string(int code, char *text, int *length);

/* ---- communicators (communicators.c) ---- */

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_test_inter(MPI_Comm comm, int *between);
int MPI_Comm_remote_size(MPI_Comm comm, int *size);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group);
int MPI_Group_size(MPI_Group group, int *size);
int MPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *translated);
int MPI_Group_incl(MPI_Group of, int count, const int *ranks, MPI_Group *made);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made);
int MPI_Comm_spawn(const char *command, char **argv, int count, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *made, int *codes);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Intercomm_create(MPI_Comm group, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *made);
int MPI_Intercomm_merge(MPI_Comm between, int high, MPI_Comm *made);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove, int *key,
                           void *extra);
int MPI_Comm_free_keyval(int *key);
int MPI_Comm_set_attr(MPI_Comm comm, int key, void *value);
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found);

/* ---- datatypes (datatypes.c) ---- */

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *made);
int MPI_Type_create_hvector(int count, int length, long stride, MPI_Datatype of, MPI_Datatype *made);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

/* ---- messages (messages.c) ---- */

int MPI_Send(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int dest, int tag, void *room, int most,
                 MPI_Datatype room_type, int source, int room_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *found, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);
int MPI_Test(MPI_Request *request, int *complete, MPI_Status *status);
int MPI_Testall(int count, MPI_Request *requests, int *complete, MPI_Status *statuses);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Cancel(MPI_Request *request);
int MPI_Test_cancelled(const MPI_Status *status, int *cancelled);
int MPI_Request_free(MPI_Request *request);

/* ---- collectives of one (collectives.c) ---- */

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_Gather(const void *data, int count, MPI_Datatype type, void *result, int result_count,
               MPI_Datatype result_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *data, int count, MPI_Datatype type, void *result, const int *counts,
                const int *places, MPI_Datatype result_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                MPI_Datatype result_type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *data, const int *counts, const int *places, MPI_Datatype type, void *result,
                 int result_count, MPI_Datatype result_type, int root, MPI_Comm comm);
int MPI_Allgatherv(const void *data, int count, MPI_Datatype type, void *result, const int *counts,
                   const int *places, MPI_Datatype result_type, MPI_Comm comm);
int MPI_Alltoall(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                 MPI_Datatype result_type, MPI_Comm comm);
int MPI_Alltoallv(const void *data, const int *counts, const int *places, MPI_Datatype type, void *result,
                  const int *result_counts, const int *result_places, MPI_Datatype result_type,
                  MPI_Comm comm);
int MPI_Allgather(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                  MPI_Datatype result_type, MPI_Comm comm);
int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm);
int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request);
int MPI_Iallreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Iscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request);
int MPI_Iexscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request);
int MPI_Ireduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request);

/* ---- operations (operations.c) ---- */

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
int MPI_Reduce_local(const void *left, void *right, int count, MPI_Datatype type, MPI_Op op);

/* ---- windows (windows.c) ---- */

int MPI_Win_create(void *memory, MPI_Aint nbytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler);
int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_lock_all(int assertion, MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_flush_all(MPI_Win win);
int MPI_Put(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win);
int MPI_Get(void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win);
int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                       MPI_Datatype result_type, int rank, MPI_Aint place, int target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Rput(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rget(void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place,
                    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint place, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request);
int MPI_Fetch_and_op(const void *value, void *found, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                     MPI_Win win);
int MPI_Compare_and_swap(const void *value, const void *expected, void *found, MPI_Datatype type, int rank,
                         MPI_Aint place, MPI_Win win);
/* ---- files (files.c) ---- */

/* Hints are ignored. */
int MPI_Info_create(MPI_Info *info);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_free(MPI_Info *info);
int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *made);
int MPI_File_close(MPI_File *file);
int MPI_File_set_view(MPI_File file, MPI_Offset start, MPI_Datatype element, MPI_Datatype places,
                      const char *representation, MPI_Info info);
int MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type,
                     MPI_Status *status);
int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type,
                         MPI_Status *status);
int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void *data, int count, MPI_Datatype type,
                      MPI_Status *status);
int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void *data, int count, MPI_Datatype type,
                          MPI_Status *status);
int MPI_File_get_size(MPI_File file, MPI_Offset *size);
int MPI_File_set_size(MPI_File file, MPI_Offset size);
int MPI_File_sync(MPI_File file);
