/* What the catalogue says of benchmarks, modes and payloads; the tables are made of it (catalogue.c). */
#ifndef POLYMPI_FACTS_OF_CATALOGUE_H
#define POLYMPI_FACTS_OF_CATALOGUE_H

#include "polympi_catalogue.h"

#include <stdint.h>

/* How many messages: a number, or one of these. */
enum { ALL_MESSAGES = -2 /* one a rank */, WINDOW_MESSAGES, NONE_MESSAGES, ONE_MESSAGES };

/* Who made what arrives: the other of two ranks, rank 0, each rank in turn, all (their sum), or the ranks
   before and after this one in the ring of all ranks. */
enum origin { FROM_NOBODY, FROM_PEER, FROM_ROOT, FROM_EACH, FROM_SUM, FROM_NEIGHBORS };

/* How a message lies in memory: in one piece, as a face of a cube, as six faces of a cube with ghost layers,
   or as a layout. */
enum shape { CONTIGUOUS, FACE, HALO, LAYOUT };

struct benchmark_facts {
    const char *name;
    int32_t kind;
    uint64_t modes;       /* a bit for each it has */
    uint64_t basic_modes; /* those that every program has loops for; others run them only if they say so */
    uint64_t payloads;
    int32_t sends_root; /* messages of rank 0 in one iteration */
    int32_t sends_other;
    int32_t gets_root;
    int32_t gets_other;
    enum origin origin;
    int32_t apiece;     /* each destination gets its own message */
    int32_t uneven;     /* pieces differ in size: pieces.c */
    int32_t one_buffer; /* the root sends out of the buffer into which others receive */
    enum shape shape;
    int32_t dimensions; /* of the arrays of an application; 0: it is none */
};

struct mode_facts {
    const char *name;
    int32_t send_mode;
    int32_t completion;
    int32_t face;
    int32_t layout;
    int32_t variant;
};

/* A group of elements of a layout, which is repeated: how many it has, and the places of those sent. */
struct layout_facts {
    int64_t period;
    int64_t sent[POLYMPI_LAYOUT_GROUP];
};

struct payload_facts {
    const char *name;
    int64_t element_bytes;
    int64_t least_bytes;
    int64_t most_bytes;
};

extern const struct benchmark_facts benchmark_facts[POLYMPI_BENCHMARKS];
extern const struct mode_facts mode_facts[POLYMPI_MODES];
extern const struct layout_facts layout_facts[POLYMPI_LAYOUTS];
extern const struct payload_facts payload_facts[POLYMPI_PAYLOADS];
extern const char *const page_names[POLYMPI_PAGES];

#endif
