/* Intrusive lists: items are linked by their own members, and a list is the pointer to its first one, NULL
 * where it is empty. Removing an item leaves its links as they are. */
#pragma once

/* ---- in one direction, by `next` ---- */

#define LIST_PUSH(first, item) ((item)->next = (first), (first) = (item))

/* The link to the end, or to the first item `found` of which the condition is true. */
#define LIST_FIND_LINK(first, found, condition)                                                              \
    ({                                                                                                       \
        __typeof__(first) *link_ = &(first), found;                                                          \
        while ((found = *link_) && !(condition))                                                             \
            link_ = &found->next;                                                                            \
        link_;                                                                                               \
    })

#define LIST_APPEND(first, item)                                                                             \
    do {                                                                                                     \
        __typeof__(first) *end_ = LIST_FIND_LINK(first, other_, false);                                      \
        (item)->next = NULL;                                                                                 \
        *end_ = (item);                                                                                      \
    } while (0)

/* Take the first item off of which the condition is true, and return it; NULL: there is none. */
#define LIST_TAKE(first, found, condition)                                                                   \
    ({                                                                                                       \
        __typeof__(first) *place_ = LIST_FIND_LINK(first, found, condition), taken_ = *place_;               \
        if (taken_)                                                                                          \
            *place_ = taken_->next;                                                                          \
        taken_;                                                                                              \
    })

/* Take an item off, if it is there. */
#define LIST_REMOVE(first, item) ((void)LIST_TAKE(first, other_, other_ == (item)))

/* ---- in both directions, by `next` and `previous` ---- */

#define CHAIN_PUSH(first, item)                                                                              \
    do {                                                                                                     \
        (item)->next = (first);                                                                              \
        (item)->previous = NULL;                                                                             \
        if (first)                                                                                           \
            (first)->previous = (item);                                                                      \
        (first) = (item);                                                                                    \
    } while (0)

#define CHAIN_REMOVE(first, item)                                                                            \
    do {                                                                                                     \
        *((item)->previous ? &(item)->previous->next : &(first)) = (item)->next;                             \
        if ((item)->next)                                                                                    \
            (item)->next->previous = (item)->previous;                                                       \
    } while (0)

/* ---- with two ends; `inward` leads from `end` to `other`, `outward` back ---- */

#define DEQUE_ADD(end, other, item, inward, outward)                                                         \
    do {                                                                                                     \
        (item)->inward = (end);                                                                              \
        (item)->outward = NULL;                                                                              \
        *((end) ? &(end)->outward : &(other)) = (item);                                                      \
        (end) = (item);                                                                                      \
    } while (0)

#define DEQUE_REMOVE(end, other, item, inward, outward)                                                      \
    do {                                                                                                     \
        *((item)->outward ? &(item)->outward->inward : &(end)) = (item)->inward;                             \
        *((item)->inward ? &(item)->inward->outward : &(other)) = (item)->outward;                           \
    } while (0)
