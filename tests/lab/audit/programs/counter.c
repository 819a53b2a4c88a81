/* Counts the calls of a process independently of the recorder, before which it is loaded: in a program of any
   language, also one that finds MPI by dlsym. At its end a process that has called MPI writes its counts into
   the folder of COUNTS, in a file named after its number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each with its name in Fortran. */
/* clang-format off */
#define PROCEDURES \
    X(Send, send) X(Ssend, ssend) X(Isend, isend) X(Recv, recv) X(Irecv, irecv) \
    X(Sendrecv, sendrecv) X(Probe, probe) X(Mprobe, mprobe) X(Improbe, improbe) X(Mrecv, mrecv) \
    X(Imrecv, imrecv) X(Send_init, send_init) X(Recv_init, recv_init) X(Start, start) \
    X(Startall, startall) X(Wait, wait) X(Waitall, waitall) X(Test, test) X(Testall, testall) \
    X(Barrier, barrier) X(Bcast, bcast) X(Reduce, reduce) X(Allreduce, allreduce) \
    X(Gather, gather) X(Gatherv, gatherv) X(Scatter, scatter) X(Allgather, allgather) \
    X(Allgatherv, allgatherv) X(Alltoall, alltoall) X(Alltoallv, alltoallv) \
    X(Comm_dup, comm_dup) X(Comm_split, comm_split) X(Comm_free, comm_free) \
    X(Comm_delete_attr, comm_delete_attr) X(Cart_create, cart_create) X(Finalize, finalize)
/* clang-format on */

enum {
#define X(NAME, FORTRAN) NAME,
    PROCEDURES
#undef X
        NAMES
};
static const char *const names[NAMES] = {
#define X(NAME, FORTRAN) "MPI_" #NAME,
    PROCEDURES
#undef X
};
static long long counts[NAMES];
/* Fortran's procedures, and some of C, call others by their public names; callbacks from MPI call some, too.
 */
static __thread int depth;

/* As many arguments as any procedure has; all are integers or pointers. */
#define P                                                                                                    \
    intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, intptr_t h,          \
        intptr_t i, intptr_t j, intptr_t k, intptr_t l, intptr_t m, intptr_t n
#define A a, b, c, d, e, f, g, h, i, j, k, l, m, n
typedef intptr_t (*procedure)(P);
typedef void *(*lookup)(void *, const char *);

static lookup loader(void) {
    static lookup found;
    if (!found)
        found = (lookup)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return found;
}

#define COUNT(SYMBOL, NAME)                                                                                  \
    intptr_t SYMBOL(P);                                                                                      \
    intptr_t SYMBOL(P) {                                                                                     \
        static procedure next;                                                                               \
        if (!next)                                                                                           \
            next = (procedure)loader()(RTLD_NEXT, #SYMBOL);                                                  \
        counts[NAME] += !depth++;                                                                            \
        intptr_t code = next(A);                                                                             \
        depth--;                                                                                             \
        return code;                                                                                         \
    }
#define X(NAME, FORTRAN)                                                                                     \
    COUNT(MPI_##NAME, NAME) COUNT(mpi_##FORTRAN##_, NAME) COUNT(mpi_##FORTRAN##_f08_, NAME)
PROCEDURES
#undef X

/* Large counts, which Open MPI 5.0 lacks: a program sees from their names whether it may use them. */
#ifdef LARGE
#define X(NAME) COUNT(MPI_##NAME##_c, NAME)
/* clang-format off */
    X(Send) X(Ssend) X(Isend) X(Recv) X(Irecv) X(Sendrecv) X(Mrecv) X(Imrecv) X(Send_init)
    X(Recv_init) X(Bcast) X(Reduce) X(Allreduce) X(Gather) X(Gatherv) X(Scatter) X(Allgather)
    X(Allgatherv) X(Alltoall) X(Alltoallv)
/* clang-format on */
#undef X
#endif

    /* This library's procedure of that name, or NULL. */
    static void *counter_of(const char *name) {
    Dl_info own, other;
    void *self = dladdr((void *)counts, &own) ? dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *found = self ? loader()(self, name) : NULL;
    return found && dladdr(found, &other) && other.dli_fbase == own.dli_fbase ? found : NULL;
}

/* A lookup of a procedure of MPI by dlsym finds that of this library; all else is left to the recorder. */
void *dlsym(void *restrict handle, const char *restrict name) {
    static lookup next;
    if (!next)
        next = (lookup)loader()(RTLD_NEXT, "dlsym");
    void *counter = NULL;
    if (handle != RTLD_NEXT && strncmp(name, "MPI_", 4) == 0 && loader()(handle, name))
        counter = counter_of(name);
    return counter ? counter : next(handle, name);
}

__attribute__((destructor)) static void write_counts(void) {
    char path[4096];
    const char *folder = getenv("COUNTS");
    if (!folder || !counts[Finalize])
        return;
    snprintf(path, sizeof path, "%s/%d.json", folder, (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    for (int name = 0; name < NAMES; name++)
        fprintf(file, "%s\"%s\": %lld", name ? ", " : "{", names[name], counts[name]);
    fprintf(file, "}\n");
    fclose(file);
}
