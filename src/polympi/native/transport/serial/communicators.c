#include "serial.h"

#include <stdint.h>
#include <stdlib.h>

struct serial_comm serial_world = {1}, serial_self = {2};

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    *rank = 0;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
    *size = 1;
    return MPI_SUCCESS;
}

int MPI_Comm_test_inter(MPI_Comm comm, int *between) {
    *between = 0;
    return MPI_SUCCESS;
}

/* ---- groups: all are of the one rank ---- */

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
    *group = 1;
    return MPI_SUCCESS;
}

int MPI_Group_size(MPI_Group group, int *size) {
    *size = group;
    return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *translated) {
    for (int i = 0; i < count; i++)
        translated[i] = ranks[i];
    return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group of, int count, const int *ranks, MPI_Group *made) {
    *made = count;
    return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group *group) {
    *group = 0;
    return MPI_SUCCESS;
}

/* ---- making and freeing ---- */

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    static unsigned long made_so_far = 2;
    *made = malloc(sizeof **made);
    if (!*made)
        return MPI_ERR_OTHER;
    (*made)->number = __atomic_add_fetch(&made_so_far, 1, __ATOMIC_RELAXED);
    return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    if (color != MPI_UNDEFINED)
        return MPI_Comm_dup(comm, made);
    *made = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
    return MPI_Comm_split(comm, type, key, made);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
    return MPI_Comm_dup(comm, made);
}

/* ---- intercommunicators: there is one group only ---- */

int MPI_Comm_spawn(const char *command, char **argv, int count, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *made, int *codes) {
    return MPI_ERR_OTHER;
}

int MPI_Comm_get_parent(MPI_Comm *parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Intercomm_create(MPI_Comm group, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *made) {
    return MPI_ERR_RANK;
}

int MPI_Intercomm_merge(MPI_Comm between, int high, MPI_Comm *made) { return MPI_ERR_ARG; }

int MPI_Comm_remote_size(MPI_Comm comm, int *size) { return MPI_ERR_ARG; }

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group) { return MPI_ERR_ARG; }

int MPI_Comm_disconnect(MPI_Comm *comm) { return MPI_ERR_ARG; }

/* ---- the name, and the end ---- */

int MPI_Comm_set_name(MPI_Comm comm, const char *name) { return MPI_SUCCESS; }

int MPI_Comm_free(MPI_Comm *comm) {
    messages_forget(*comm);
    free(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* Errors are always returned. */
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) { return MPI_SUCCESS; }

/* ---- attributes: those of MPI_COMM_SELF alone, for what happens in MPI_Finalize ---- */

enum { FIRST_KEY = 2, MOST_ATTRIBUTES = 8 };

static struct {
    MPI_Comm_delete_attr_function *remove;
    void *extra, *value;
    bool set;
} attributes[MOST_ATTRIBUTES];
static int keys;

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove, int *key,
                           void *extra) {
    if (keys == MOST_ATTRIBUTES)
        return MPI_ERR_OTHER;
    attributes[keys].remove = remove;
    attributes[keys].extra = extra;
    *key = FIRST_KEY + keys++;
    return MPI_SUCCESS;
}

int MPI_Comm_free_keyval(int *key) {
    *key = -1;
    return MPI_SUCCESS;
}

int MPI_Comm_set_attr(MPI_Comm comm, int key, void *value) {
    if (comm != MPI_COMM_SELF || key < FIRST_KEY || key >= FIRST_KEY + keys)
        return MPI_ERR_ARG;
    attributes[key - FIRST_KEY].value = value;
    attributes[key - FIRST_KEY].set = true;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found) {
    static int highest_tag = INT32_MAX;
    *found = key == MPI_TAG_UB;
    if (*found)
        *(int **)value = &highest_tag;
    return MPI_SUCCESS;
}

void attributes_remove(void) {
    for (int key = keys; key-- > 0;)
        if (attributes[key].set) {
            attributes[key].set = false;
            attributes[key].remove(MPI_COMM_SELF, FIRST_KEY + key, attributes[key].value,
                                   attributes[key].extra);
        }
}
