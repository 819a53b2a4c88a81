/* The last byte of every message of bytes, and of doubles, is sent wrong: the validation pass must say so.
   The linker puts this in place of polympi_payload_fill (--wrap). */
#define _DEFAULT_SOURCE
#include "polympi_harness.h"

void __real_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);

void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    __real_polympi_payload_fill(message, c, origin, slot);
    if ((c->payload == POLYMPI_BYTES || c->payload == POLYMPI_FLOAT64) && c->bytes > 0)
        ((unsigned char *)message)[c->bytes - 1] ^= 1;
}
