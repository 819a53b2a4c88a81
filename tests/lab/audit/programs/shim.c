/* Counts calls independently: loaded before the recorder, it passes calls on to whatever is next. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static long long sends, receives, bytes, sends_started, receives_started, collectives, completions, tests;

#define NEXT(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))

static long long size_of(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

int MPI_Send(const void *b, int n, MPI_Datatype d, int to, int tag, MPI_Comm c) {
    sends++, bytes += size_of(n, d);
    return NEXT(MPI_Send)(b, n, d, to, tag, c);
}

int MPI_Recv(void *b, int n, MPI_Datatype d, int from, int tag, MPI_Comm c, MPI_Status *s) {
    receives++;
    return NEXT(MPI_Recv)(b, n, d, from, tag, c, s);
}

int MPI_Isend(const void *b, int n, MPI_Datatype d, int to, int tag, MPI_Comm c, MPI_Request *q) {
    sends_started++, bytes += size_of(n, d);
    return NEXT(MPI_Isend)(b, n, d, to, tag, c, q);
}

int MPI_Irecv(void *b, int n, MPI_Datatype d, int from, int tag, MPI_Comm c, MPI_Request *q) {
    receives_started++;
    return NEXT(MPI_Irecv)(b, n, d, from, tag, c, q);
}

int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c) {
    collectives++;
    return NEXT(MPI_Allreduce)(a, b, n, d, o, c);
}

int MPI_Waitall(int n, MPI_Request q[], MPI_Status s[]) {
    completions++;
    return NEXT(MPI_Waitall)(n, q, s);
}

int MPI_Test(MPI_Request *q, int *flag, MPI_Status *s) {
    tests++;
    return NEXT(MPI_Test)(q, flag, s);
}

int MPI_Finalize(void) {
    printf("{\"MPI_Send\": %lld, \"MPI_Recv\": %lld, \"MPI_Isend\": %lld, \"MPI_Irecv\": %lld, "
           "\"MPI_Allreduce\": %lld,"
           " \"MPI_Waitall\": %lld, \"MPI_Test\": %lld, \"bytes\": %lld}\n",
           sends, receives, sends_started, receives_started, collectives, completions, tests, bytes);
    fflush(stdout);
    return NEXT(MPI_Finalize)();
}
