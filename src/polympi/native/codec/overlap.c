#include "codec/overlap.h"

#include <string.h>

#include "memory/strided.h"

/* Memory from the first byte to the one after the last. */
struct extent {
    uintptr_t first, end;
};

static struct extent extent_of(const Layout *layout) {
    struct extent extent = {.first = (uintptr_t)layout->data, .end = (uintptr_t)layout->data};
    if (layout->nbytes == 0)
        return extent;
    extent.end += (uintptr_t)layout->itemsize;
    for (int axis = 0; axis < layout->ndim; axis++) {
        Py_ssize_t reach = (layout->shape[axis] - 1) * layout->strides[axis];
        *(reach < 0 ? &extent.first : &extent.end) += (uintptr_t)reach;
    }
    return extent;
}

static struct extent extent_of_part(const Part *part) {
    if (!part->strided)
        return (struct extent){(uintptr_t)part->data, (uintptr_t)part->data + (uintptr_t)part->nbytes};
    Layout layout;
    array_layout(part->owner, &layout);
    return extent_of(&layout);
}

static bool share_bytes(struct extent one, struct extent other) {
    return one.first < other.end && other.first < one.end;
}

bool layouts_overlap(const Layout *one, const Layout *other) {
    return share_bytes(extent_of(one), extent_of(other));
}

bool stream_overlaps(const Stream *stream, const Layout *into) {
    if (stream->part_count == 0)
        return false;
    const struct extent target = extent_of(into);
    for (int i = 0; i < stream->part_count; i++)
        if (share_bytes(extent_of_part(&stream->parts[i]), target))
            return true;
    return false;
}

void part_copy(const Part *part, char *to) {
    if (!part->strided) {
        memcpy(to, part->data, (size_t)part->nbytes);
        return;
    }
    Layout layout;
    array_layout(part->owner, &layout);
    strided_pack(&layout, to);
}
