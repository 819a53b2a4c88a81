/* A common start: the moment, agreed in advance, at which all ranks make a collective call.

   Ranks leave a barrier one after the other. Who measures from there measures the barrier, too: a rank that
   left early waits in the call for one that left late, and another barrier gives another time. Here all ranks
   agree on a moment, wait for it on the clock of the machine, and the time of a call is the end of its last
   rank minus that moment. A rank that came too late for it is told of to all, and the call is made once more
   (S. Hunold, A. Carpen-Amarie, "Reproducible MPI benchmarking is still not as easy as you think", IEEE TPDS
   27 (2016): windows).

   The functions take and return integers only, so that programs in any language can load them as a shared
   library, and nobody waits more coarsely than C:

       common_start_begin();                         once, on all ranks, after MPI_Init
       common_start_agree();
       for (int i = 0; i < calls;) {
           for (int k = 0; k < UNTIMED_CALLS; k++)   see below
               MPI_Bcast(...);
           const int64_t start = common_start_wait();
           MPI_Bcast(...);
           ns[i] = now() - start;                    now(): CLOCK_MONOTONIC in ns
           i += common_start_agree();                0: a rank was late, the call has to be made again
       }
       common_start_end();                           before MPI_Finalize

   The untimed calls are there for the caches: the agreement leaves in them what the library needs to wait,
   which differs with how it waits, and the timed call would be slower by some tens of nanoseconds.

   The largest ns[i] over the ranks is the time of call i. All functions but the mark and the
   facts are collective over MPI_COMM_WORLD. */
#ifndef POLYMPI_COMMON_START_H
#define POLYMPI_COMMON_START_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Before each start. After three a time no longer depends on how the ranks agreed, as far as can be
   measured. */
enum { UNTIMED_CALLS = 3 };

/* Makes its own communicator, and looks how many ranks share a machine, and whether they share a
   clock. */
void common_start_begin(void);
void common_start_end(void);

/* Holds the ranks together (a barrier: no rank leaves before all have arrived) and agrees on the next start.
   Returns 1 if all ranks were in time for the start before, 0 if one was late; 1, too, if one was late ten
   times in a row before. */
int32_t common_start_agree(void);

/* Waits for the start that was agreed on; returns it, on this rank's own clock in ns. All ranks call it:
   where they are oversubscribed (below), they agree again, behind the untimed calls. */
int64_t common_start_wait(void);

/* From now on, what passes in the calls themselves is counted: `read` is asked before each start and after
   each call, and the differences of `calls` calls that were in time are summed up, one sum after another from
   `sums` on. NULL in place of `read`: no longer. */
void common_start_watch(int64_t (*read)(void *context), void *context, int64_t *sums, int32_t calls);

/* Shows a tool that records the MPI calls of a rank, such as polympi audit, where the iterations of a case
   begin and where they end: it names the communicator, and sends nothing. Not collective. */
#define COMMON_START_NAME "polympi common start"
void common_start_mark(void);

/* Called before every case: compares the clocks of all hosts with that of rank 0, since clocks drift (nothing
   to do where they share one), and forgets how long the calls of the case before took. */
void common_start_next_case(void);

/* The latest of the moments of all ranks, each given on its own clock in ns, on the clock of rank 0; wrong by
   common_start_clock_error() at the most, if it is not long ago. */
int64_t common_start_latest(int64_t when);

/* Facts. Starts that a rank was late for, so far; the same on all ranks. */
int64_t common_start_repeated(void);
/* The largest error of a compared clock so far in ns: half the round trip of the message that told it; 0 on
   one machine, and where all hosts are containers or namespaces of one that have its clock. */
int64_t common_start_clock_error(void);
/* 1 if the ranks of a machine outnumber the CPUs they may use. Then they cannot all begin at one moment:
   nobody counts as late, and waiting yields. */
int32_t common_start_oversubscribed(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
