/* The last byte of every message of bytes, and of doubles, is sent wrong: the validation pass must say so.
   The linker puts this in place of payload_fill (--wrap). */
#include "payload.h"

void __real_payload_fill(void *message, const struct plan_case *c, int origin, int slot);
void __wrap_payload_fill(void *message, const struct plan_case *c, int origin, int slot);

void __wrap_payload_fill(void *message, const struct plan_case *c, int origin, int slot) {
    __real_payload_fill(message, c, origin, slot);
    if ((c->payload == BYTES || c->payload == FLOAT64) && c->bytes > 0)
        ((unsigned char *)message)[c->bytes - 1] ^= 1;
}
