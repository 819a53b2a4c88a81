/* Derived datatypes for strided arrays, and the choice between them and packing. */
#include "transport/strided_datatype.h"
#include "memory/strided.h"
#include "transport/calls.h"

#include <limits.h>
#include <string.h>

/* On Open MPI a derived datatype beats packing into memory of the pool by 1.3 to 3 times for the faces of
 * cubes of 24^3 to 400^3 float64 (4.5 KB to 1.3 MB, both rows and single elements): both ranks handle it
 * piece by piece at the same time. Up to 4 KiB, where messages are sent eagerly, there is no difference. On
 * MPICH packing is as fast or up to 5 times faster for the same faces, for one of them 100 times, however the
 * datatype is built of bytes. (Two ranks in shared memory, Open MPI 5.0.11 and MPICH 5.0.2, whose relatives
 * share its datatype engine.) */
enum { OPENMPI_DATATYPE_BYTES = 4096 };

static bool library_is_openmpi(void) {
    static enum { UNKNOWN, OPENMPI, OTHER } library;
    if (library == UNKNOWN) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        library = OTHER;
        if (MPI_Get_library_version(version, &length) == MPI_SUCCESS && strncmp(version, "Open MPI", 8) == 0)
            library = OPENMPI;
    }
    return library == OPENMPI;
}

/* Whether all loops step forwards. Open MPI 5.0.11 takes some layouts that fill memory backwards for
 * contiguous ones and moves other bytes; to receive where steps overlap (stride 0) is an error in MPI. */
static bool forwards(const Loops *loops) {
    for (int axis = 0; axis < loops->ndim; axis++)
        if (loops->strides[axis] <= 0)
            return false;
    return true;
}

bool strided_by_datatype(const Layout *layout) {
    if (layout->nbytes < OPENMPI_DATATYPE_BYTES || !library_is_openmpi())
        return false;
    Loops loops;
    loops_merge(layout, &loops);
    return forwards(&loops);
}

/* Datatypes that were made, by the loops they describe. A program has few layouts: six faces of a halo, sent
 * and received, of some arrays. */
enum { CACHED_TYPES = 32 };
static struct {
    Loops loops;
    MPI_Datatype type;
    uint64_t used; /* which of all uses was its last; 0: an empty place */
} cache[CACHED_TYPES];
static uint64_t uses; /* of all datatypes so far */

static bool same_loops(const Loops *one, const Loops *other) {
    size_t bytes = (size_t)one->ndim * sizeof one->shape[0];
    return one->ndim == other->ndim && one->run == other->run &&
           memcmp(one->shape, other->shape, bytes) == 0 && memcmp(one->strides, other->strides, bytes) == 0;
}

static void copy_loops(Loops *to, const Loops *from) {
    size_t bytes = (size_t)from->ndim * sizeof from->shape[0];
    to->ndim = from->ndim;
    to->run = from->run;
    memcpy(to->shape, from->shape, bytes);
    memcpy(to->strides, from->strides, bytes);
}

/* A committed datatype: a run of elements, then one hvector around it for each loop. An MPI error code. */
static int build(const Loops *loops, MPI_Datatype element, Py_ssize_t itemsize, MPI_Datatype *type) {
    if (!forwards(loops))
        return MPI_ERR_ARG;
    if (loops->run / itemsize > INT_MAX)
        return MPI_ERR_COUNT;
    for (int axis = 0; axis < loops->ndim; axis++)
        if (loops->shape[axis] > INT_MAX)
            return MPI_ERR_COUNT;
    bool locked = enter_mpi();
    int code = MPI_Type_contiguous((int)(loops->run / itemsize), element, type);
    for (int axis = loops->ndim - 1; axis >= 0 && code == MPI_SUCCESS; axis--) {
        MPI_Datatype inner = *type;
        code = MPI_Type_create_hvector((int)loops->shape[axis], 1, loops->strides[axis], inner, type);
        MPI_Type_free(&inner);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Type_commit(type);
    leave_mpi(locked);
    return code;
}

int strided_datatype_new(const Layout *layout, MPI_Datatype element, MPI_Datatype *type) {
    Loops loops;
    loops_merge(layout, &loops);
    return build(&loops, element, element == MPI_BYTE ? 1 : layout->itemsize, type);
}

int strided_datatype(const Layout *layout, MPI_Datatype *type) {
    Loops loops;
    loops.ndim = 0;
    loops.run = 0;
    if (layout->nbytes)
        loops_merge(layout, &loops);
    int place = 0;
    for (int at = 0; at < CACHED_TYPES; at++) {
        if (cache[at].used && same_loops(&cache[at].loops, &loops)) {
            cache[at].used = ++uses;
            *type = cache[at].type;
            return MPI_SUCCESS;
        }
        if (cache[at].used < cache[place].used)
            place = at;
    }
    int code = build(&loops, MPI_BYTE, 1, type);
    if (code != MPI_SUCCESS)
        return code;
    if (cache[place].used)
        IN_TURN(MPI_Type_free(&cache[place].type));
    copy_loops(&cache[place].loops, &loops);
    cache[place].type = *type;
    cache[place].used = ++uses;
    return MPI_SUCCESS;
}

void strided_forget(void) {
    for (int at = 0; at < CACHED_TYPES; at++)
        if (cache[at].used) {
            MPI_Type_free(&cache[at].type);
            cache[at].used = 0;
        }
}
