/* Communicators, groups and derived datatypes. */
#include "handles.h"

/* Makes the handle `made` of a type by a call that sets it. */
#define MAKE(type, null, call)                                                                               \
    type made = null;                                                                                        \
    const int code = call;                                                                                   \
    *result = HANDLE(made);                                                                                  \
    return code

int32_t polympi_net_comm_rank(intptr_t comm, int32_t *rank) { return MPI_Comm_rank(COMM(comm), rank); }
int32_t polympi_net_comm_size(intptr_t comm, int32_t *size) { return MPI_Comm_size(COMM(comm), size); }
int32_t polympi_net_comm_remote_size(intptr_t comm, int32_t *size) {
    return MPI_Comm_remote_size(COMM(comm), size);
}
int32_t polympi_net_comm_return_errors(intptr_t comm) {
    return MPI_Comm_set_errhandler(COMM(comm), MPI_ERRORS_RETURN);
}
int32_t polympi_net_comm_compare(intptr_t a, intptr_t b, int32_t *result) {
    return MPI_Comm_compare(COMM(a), COMM(b), result);
}
int32_t polympi_net_comm_dup(intptr_t comm, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Comm_dup(COMM(comm), &made));
}
int32_t polympi_net_comm_split(intptr_t comm, int32_t color, int32_t key, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Comm_split(COMM(comm), color, key, &made));
}
int32_t polympi_net_comm_split_shared(intptr_t comm, int32_t key, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL,
         MPI_Comm_split_type(COMM(comm), MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &made));
}
int32_t polympi_net_comm_create(intptr_t comm, intptr_t group, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Comm_create(COMM(comm), GROUP(group), &made));
}
int32_t polympi_net_comm_free(intptr_t *comm) {
    MPI_Comm freed = COMM(*comm);
    const int code = MPI_Comm_free(&freed);
    *comm = HANDLE(freed);
    return code;
}
int32_t polympi_net_intercomm_create(intptr_t local, int32_t local_leader, intptr_t peer,
                                     int32_t remote_leader, int32_t tag, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL,
         MPI_Intercomm_create(COMM(local), local_leader, COMM(peer), remote_leader, tag, &made));
}
int32_t polympi_net_intercomm_merge(intptr_t comm, int32_t high, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Intercomm_merge(COMM(comm), high, &made));
}
/* `arguments` end with NULL. */
int32_t polympi_net_comm_spawn(const char *command, char **arguments, int32_t count, int32_t root,
                               intptr_t comm, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL,
         MPI_Comm_spawn(command, arguments, count, MPI_INFO_NULL, root, COMM(comm), &made,
                        MPI_ERRCODES_IGNORE));
}
int32_t polympi_net_comm_parent(intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Comm_get_parent(&made));
}

int32_t polympi_net_dims_create(int32_t ranks, int32_t count, int32_t *dims) {
    return MPI_Dims_create(ranks, count, dims);
}
int32_t polympi_net_cart_create(intptr_t comm, int32_t count, const int32_t *dims, const int32_t *periods,
                                int32_t reorder, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Cart_create(COMM(comm), count, dims, periods, reorder, &made));
}
int32_t polympi_net_cart_rank(intptr_t comm, const int32_t *coordinates, int32_t *rank) {
    return MPI_Cart_rank(COMM(comm), coordinates, rank);
}
int32_t polympi_net_cart_coords(intptr_t comm, int32_t rank, int32_t count, int32_t *coordinates) {
    return MPI_Cart_coords(COMM(comm), rank, count, coordinates);
}
int32_t polympi_net_cart_shift(intptr_t comm, int32_t direction, int32_t displacement, int32_t *source,
                               int32_t *dest) {
    return MPI_Cart_shift(COMM(comm), direction, displacement, source, dest);
}
int32_t polympi_net_cart_sub(intptr_t comm, const int32_t *remain, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Cart_sub(COMM(comm), remain, &made));
}

int32_t polympi_net_cart_map(intptr_t comm, int32_t count, const int32_t *dims, const int32_t *periods,
                             int32_t *rank) {
    return MPI_Cart_map(COMM(comm), count, dims, periods, rank);
}
int32_t polympi_net_graph_create(intptr_t comm, int32_t count, const int32_t *index, const int32_t *edges,
                                 int32_t reorder, intptr_t *result) {
    MAKE(MPI_Comm, MPI_COMM_NULL, MPI_Graph_create(COMM(comm), count, index, edges, reorder, &made));
}

int32_t polympi_net_comm_group(intptr_t comm, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Comm_group(COMM(comm), &made));
}
int32_t polympi_net_comm_remote_group(intptr_t comm, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Comm_remote_group(COMM(comm), &made));
}
int32_t polympi_net_group_rank(intptr_t group, int32_t *rank) { return MPI_Group_rank(GROUP(group), rank); }
int32_t polympi_net_group_size(intptr_t group, int32_t *size) { return MPI_Group_size(GROUP(group), size); }
int32_t polympi_net_group_compare(intptr_t a, intptr_t b, int32_t *result) {
    return MPI_Group_compare(GROUP(a), GROUP(b), result);
}
int32_t polympi_net_group_union(intptr_t a, intptr_t b, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Group_union(GROUP(a), GROUP(b), &made));
}
int32_t polympi_net_group_intersection(intptr_t a, intptr_t b, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Group_intersection(GROUP(a), GROUP(b), &made));
}
int32_t polympi_net_group_difference(intptr_t a, intptr_t b, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Group_difference(GROUP(a), GROUP(b), &made));
}
int32_t polympi_net_group_incl(intptr_t group, int32_t count, const int32_t *ranks, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Group_incl(GROUP(group), count, ranks, &made));
}
int32_t polympi_net_group_excl(intptr_t group, int32_t count, const int32_t *ranks, intptr_t *result) {
    MAKE(MPI_Group, MPI_GROUP_NULL, MPI_Group_excl(GROUP(group), count, ranks, &made));
}
int32_t polympi_net_group_translate(intptr_t from, int32_t count, const int32_t *ranks, intptr_t to,
                                    int32_t *result) {
    return MPI_Group_translate_ranks(GROUP(from), count, ranks, GROUP(to), result);
}
int32_t polympi_net_group_free(intptr_t *group) {
    MPI_Group freed = GROUP(*group);
    const int code = MPI_Group_free(&freed);
    *group = HANDLE(freed);
    return code;
}

int32_t polympi_net_type_commit(intptr_t *type) {
    MPI_Datatype committed = TYPE(*type);
    const int code = MPI_Type_commit(&committed);
    *type = HANDLE(committed);
    return code;
}
int32_t polympi_net_type_free(intptr_t *type) {
    MPI_Datatype freed = TYPE(*type);
    const int code = MPI_Type_free(&freed);
    *type = HANDLE(freed);
    return code;
}

/* Fields at `places` in a struct of `extent` bytes. */
int32_t polympi_net_type_struct(int32_t count, const int32_t *lengths, const int64_t *places,
                                const intptr_t *types, int64_t extent, intptr_t *result) {
    enum { MOST = 256 };
    MPI_Datatype fields[MOST], raw = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
    MPI_Aint offsets[MOST];
    if (count > MOST)
        return MPI_ERR_COUNT;
    for (int i = 0; i < count; i++) {
        fields[i] = TYPE(types[i]);
        offsets[i] = (MPI_Aint)places[i];
    }
    int code = MPI_Type_create_struct(count, lengths, offsets, fields, &raw);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Type_create_resized(raw, 0, (MPI_Aint)extent, &made);
    MPI_Type_free(&raw);
    *result = HANDLE(made);
    return code;
}
int32_t polympi_net_type_subarray(int32_t count, const int32_t *sizes, const int32_t *parts,
                                  const int32_t *starts, intptr_t element, intptr_t *result) {
    MAKE(MPI_Datatype, MPI_DATATYPE_NULL,
         MPI_Type_create_subarray(count, sizes, parts, starts, MPI_ORDER_C, TYPE(element), &made));
}
int32_t polympi_net_type_vector(int32_t count, int32_t length, int32_t stride, intptr_t element,
                                intptr_t *result) {
    MAKE(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_vector(count, length, stride, TYPE(element), &made));
}
int32_t polympi_net_type_indexed(int32_t count, const int32_t *lengths, const int32_t *places,
                                 intptr_t element, intptr_t *result) {
    MAKE(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_indexed(count, lengths, places, TYPE(element), &made));
}

/* Fills elements with `count` of them that were received as MPI_PACKED, one after the other. */
int32_t polympi_net_unpack(const void *message, void *elements, int64_t count, intptr_t element,
                           intptr_t comm) {
    MPI_Aint lower, extent;
    int size, code = MPI_Type_size(TYPE(element), &size);
    MPI_Type_get_extent(TYPE(element), &lower, &extent);
    for (int64_t i = 0; i < count && code == MPI_SUCCESS; i++) {
        int place = 0;
        code = MPI_Unpack((const char *)message + i * size, size, &place, (char *)elements + i * extent, 1,
                          TYPE(element), COMM(comm));
    }
    return code;
}
