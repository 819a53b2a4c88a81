/* What the catalogue says of benchmarks, modes and payloads; the tables are made of it (catalogue.c). */
#ifndef POLYMPI_FACTS_OF_CATALOGUE_H
#define POLYMPI_FACTS_OF_CATALOGUE_H

#include "polympi_catalogue.h"

#include <stdint.h>

/* How many messages: a number, or one of these. */
enum { ALL_MESSAGES = -2 /* one a rank */, WINDOW_MESSAGES, NONE_MESSAGES, ONE_MESSAGES };

/* Who made what arrives: the other of two ranks, rank 0, each rank in turn, or all (their sum). */
enum origin { FROM_NOBODY, FROM_PEER, FROM_ROOT, FROM_EACH, FROM_SUM };

struct benchmark_facts {
    const char *name;
    int32_t kind;
    uint64_t modes;     /* a bit for each it has */
    uint64_t payloads;  /* likewise */
    int32_t sends_root; /* messages of rank 0 in one iteration */
    int32_t sends_other;
    int32_t gets_root;
    int32_t gets_other;
    enum origin origin;
    int32_t apiece;     /* each destination gets its own message */
    int32_t opt_in;     /* a program that does not say that it has loops for it does not run it */
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

/* A group of elements of a layout, which is repeated: how many it has, and the places of those that are sent.
 */
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
