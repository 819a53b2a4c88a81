/* Checks of announcements that arrive. */
#include "codec/wire.h"

bool wire_get_announcement(const char *message, Py_ssize_t nbytes, struct announcement *announced) {
    if (nbytes < ANNOUNCEMENT_FORM)
        return false;
    memcpy(announced, message, sizeof *announced);
    uint64_t behind = (uint64_t)nbytes - ANNOUNCEMENT_FORM;
    return announced->tag == TAG_REMOTE && announced->part_count <= INT32_MAX &&
           announced->body_bytes > (uint64_t)sizes_of_parts(announced->part_count) &&
           announced->body_bytes <= PY_SSIZE_T_MAX &&
           behind == (announced->body_apart ? 0 : announced->body_bytes);
}

bool wire_check_body(const struct announcement *announced, const char *body, uint64_t *pieces) {
    *pieces = 0;
    for (uint64_t part = 0; part < announced->part_count; part++) {
        uint64_t nbytes = wire_get_size(body, part);
        if (nbytes > PY_SSIZE_T_MAX)
            return false;
        *pieces += pieces_of(nbytes);
    }
    return true;
}
