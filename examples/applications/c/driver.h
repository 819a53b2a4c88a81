/* What the main programs have in common: the command line, the start and the end of MPI, the time. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdint.h>

/* A word of the command line. Either a positive number follows it, or one of some names, whose place among
   them is the value; or it stands alone, and the value is 1. What is not given keeps its value. A list ends
   with {0}. */
struct option {
    const char *word;
    int64_t *number;
    int64_t *flag;
    int64_t *place;
    const char *const *names; /* ends with NULL */
};

/* The whole program: run solves, checks and reports on all ranks, and returns the exit code. It is 2 if the
   words have no meaning, which rank 0 answers with the usage. */
int driver_main(int words, char **word, const char *usage, const struct option *options,
                int (*run)(int rank, int ranks));

/* Seconds of the slowest rank, and the largest time that one spent in communication. */
struct times {
    double all, communication;
};

/* Begins to time an iteration on all ranks at about the same moment; communication_ns is the solver's count
 * so far. */
struct times driver_begin(int64_t communication_ns);

/* Ends what driver_begin has begun. All ranks call it. */
struct times driver_end(struct times begun, int64_t communication_ns);

/* Complains on rank 0 about a problem that cannot be solved. Returns the exit code. */
int driver_refuse(int rank, const char *format, ...);

/* Complains on rank 0 about a result that is wrong. Returns the exit code. */
int driver_judge(int rank, int right);

#endif
