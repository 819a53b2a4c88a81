/* A planted delay, to prove that the laboratory finds and sizes one: compiled with PLANTED_DELAY_NS the
   program waits that long before each send or collective call, and without it there is nothing. */
#ifndef POLYMPI_DELAY_H
#define POLYMPI_DELAY_H

#ifdef PLANTED_DELAY_NS

/* Waits PLANTED_DELAY_NS on average, from the call to the return. */
void planted_delay(void);

#else

static inline void planted_delay(void) {}

#endif

#endif
