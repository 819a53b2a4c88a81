/* Large objects of Python's own, bytes and str, whose memory malloc has. */
#pragma once

#include "base/state.h"

/* Announce an object of this many bytes. From the first large one on, malloc keeps freed memory of up to
 * POLYMPI_POOL_BYTES instead of returning it to the system: page faults would take more than half of the time
 * of a message in a window. Unless the user has chosen malloc's limits. */
void heap_expect(Py_ssize_t nbytes);
