/* Large objects of Python's own, bytes and str, whose memory malloc has. */
#ifndef POLYMPI_HEAP_H
#define POLYMPI_HEAP_H

#include "base/state.h"

/* Such an object of so many bytes is made. From the first large one on, malloc keeps what they leave, up to
 * POLYMPI_POOL_BYTES: it would return it to the system at once, and each new page costs a fault, together
 * more than half of the time of a message in a window. Programs without such messages, and those whose user
 * has chosen malloc's limits, keep malloc's own rules. */
void heap_expect(Py_ssize_t nbytes);

#endif
