/* clang-format off */
/* What can be measured. Made from src/polympi/lab/catalogue.toml by bindings/harness/generate.py: make catalogue. */
#ifndef POLYMPI_CATALOGUE_H
#define POLYMPI_CATALOGUE_H

/* The benchmarks. */
enum {
    POLYMPI_LATENCY, POLYMPI_BANDWIDTH, POLYMPI_BIBANDWIDTH, POLYMPI_STREAM, POLYMPI_FACES, POLYMPI_BARRIER,
    POLYMPI_BCAST, POLYMPI_REDUCE, POLYMPI_ALLREDUCE, POLYMPI_GATHER, POLYMPI_SCATTER, POLYMPI_ALLGATHER,
    POLYMPI_ALLTOALL, POLYMPI_PINGPONG_INT, POLYMPI_OBJECT, POLYMPI_DATATYPE, POLYMPI_RING, POLYMPI_PLAN,
    POLYMPI_HALO, POLYMPI_INNER_PRODUCT, POLYMPI_WAVE, POLYMPI_POISSON_CG, POLYMPI_MATMUL, POLYMPI_SORT,
    POLYMPI_TRIAD, POLYMPI_REDUCE_SCATTER, POLYMPI_IBCAST, POLYMPI_NEIGHBOR_ALLTOALL,
    POLYMPI_BENCHMARKS /* their number */
};

/* Who takes part in a benchmark, and how it is timed. */
enum {
    POLYMPI_PAIR, POLYMPI_JOINT, POLYMPI_ROOTED, POLYMPI_CYCLE, POLYMPI_APPLICATION,
    POLYMPI_KINDS /* their number */
};

/* What a mode of latency asks for: the call that sends, and how it completes. */
enum {
    POLYMPI_STANDARD, POLYMPI_SYNCHRONOUS, POLYMPI_BUFFERED, POLYMPI_READY, POLYMPI_SENDRECV,
    POLYMPI_SEND_MODES /* their number */
};

enum {
    POLYMPI_BLOCKING, POLYMPI_NONBLOCKING, POLYMPI_PERSISTENT,
    POLYMPI_COMPLETIONS /* their number */
};

/* A mode of faces: how a face of a cube in C order lies in memory. */
enum {
    POLYMPI_CONTIGUOUS, POLYMPI_ROWS, POLYMPI_ELEMENTS,
    POLYMPI_FACE_MODES /* their number */
};

/* A mode of datatype: how a message lies in memory. */
enum {
    POLYMPI_LAYOUT_CONTIGUOUS, POLYMPI_LAYOUT_VECTOR, POLYMPI_LAYOUT_INDEXED, POLYMPI_LAYOUT_STRUCT,
    POLYMPI_LAYOUTS /* their number */
};

/* A mode of an application. */
enum {
    POLYMPI_VARIANT_BLOCKING, POLYMPI_VARIANT_OVERLAPPED, POLYMPI_VARIANT_MERGED, POLYMPI_VARIANT_STANDARD,
    POLYMPI_VARIANT_IN_PLACE,
    POLYMPI_VARIANTS /* their number */
};

/* The payloads. */
enum {
    POLYMPI_NONE, POLYMPI_BYTES, POLYMPI_FLOAT64, POLYMPI_INT, POLYMPI_FLOAT, POLYMPI_DICT, POLYMPI_ARRAY,
    POLYMPI_INT32, POLYMPI_STRING, POLYMPI_LIST, POLYMPI_MAP, POLYMPI_NESTED, POLYMPI_INSTANCE,
    POLYMPI_PROBLEM,
    POLYMPI_PAYLOADS /* their number */
};

/* What message buffers lie on. */
enum {
    POLYMPI_HUGE_PAGES, POLYMPI_PLAIN_PAGES,
    POLYMPI_PAGES /* their number */
};

enum { POLYMPI_MODES = 23, POLYMPI_LARGEST_FACE_EDGE = 258 };
enum { POLYMPI_LAYOUT_GROUP = 4 /* elements that a group of a layout sends */ };
enum { POLYMPI_HALO_FACES = 6 /* of a cube */ };
enum { POLYMPI_SMALLEST_EDGE = 3 /* of an application's arrays */ };

#endif
