/* A rank in the tree of a call, in which messages are sent from a root to all ranks, or from all to the root.
 *
 * It is a binomial tree; if ranks are on several machines, it is a tree of machines, and below each machine
 * one of its ranks, so each other machine is reached by one message. Ranks are numbered by their *positions*,
 * from the root on, so that all ranks below one are at the positions after its own.
 */
#pragma once

#include "collectives/collective_call.h"
#include "collectives/placement.h"

enum { NOBODY = -1 };
enum { MOST_CHILDREN = 2 * 31 }; /* ranks are ints, and there are two levels */

/* Whether a root sends to all other ranks of its machine, or receives from them, itself. On an oversubscribed
 * machine, a tree waits for the scheduler at each rank; a root uses all mailboxes when it runs. */
bool without_tree(const Collective *collective);

/* ---- one level ---- */

/* Members 0, 1, 2, ... of a binomial tree with root 0, one of which is this rank or its machine. The parent
 * of a member has the same number without its lowest bit. */
typedef struct {
    int size, own;
    int children; /* of `own` */
    bool flat;    /* no tree: all others are children of member 0 */
} Level;

static inline Level level_of(int size, int own, bool flat) {
    Level level = {.size = size, .own = own, .children = 0, .flat = flat};
    if (flat)
        level.children = own ? 0 : size - 1;
    else
        for (int distance = 1; !(own & distance) && distance < size - own; distance <<= 1)
            level.children++;
    return level;
}
/* The children are numbered from 0, in the order of the sizes of their parts of the tree. */
static inline int level_child(const Level *level, int child) {
    return level->own + (level->flat ? child + 1 : 1 << child);
}
/* Of any member except 0. */
static inline int level_parent(const Level *level) { return level->flat ? 0 : level->own & (level->own - 1); }
/* One past the last member of this one's part of the tree. */
static inline int level_end(const Level *level) {
    int part = level->flat ? 1 : level->own & -level->own;
    return !level->own || part > level->size - level->own ? level->size : level->own + part;
}

/* ---- both levels ---- */

typedef struct {
    const Placement *placement; /* NULL: all ranks are one level */
    int size, root;
    int units;      /* machines, or ranks without a placement */
    int own;        /* the position of this rank */
    int part;       /* how many ranks are in its part of the tree, including itself */
    int parent;     /* a rank; NOBODY for the root */
    int children;   /* how many */
    Level here;     /* the ranks of this machine */
    Level machines; /* without children unless this rank is the first of its machine */
    /* With a placement, of the root's machine: */
    int shift, ranks;    /* the root's place among its ranks; how many they are */
    int before, machine; /* the place of its first rank; its number */
} TreePosition;

void tree_position_open(TreePosition *tree, const Collective *collective, int root);
/* With a placement: the tree of the ranks of this machine alone, whose root is the first of them. Those of
 * other machines have the positions after them. */
void tree_position_open_on_machine(TreePosition *tree, const Collective *collective);
/* The tree with root 0 in which positions are ranks; machines are ignored if they prevent that. */
void tree_position_open_in_order(TreePosition *tree, const Communicator *comm);

/* The rank at a position. */
static inline int tree_position_rank(const TreePosition *tree, int position) {
    if (likely(!tree->placement)) {
        int rank = tree->root + position;
        return rank < tree->size ? rank : rank - tree->size;
    }
    int place = position < tree->ranks ? tree->before + (tree->shift + position) % tree->ranks
                                       : (tree->before + position) % tree->size;
    return tree->placement->ranks[place];
}
/* The position where a unit begins, counted from the root's; after the last unit, the number of ranks. */
int tree_position_unit(const TreePosition *tree, int unit);
/* The position of a child; for the number of children, the end of this rank's part. Children are in the order
 * of positions, so the part of each ends where the next one begins. */
int tree_position_child(const TreePosition *tree, int child);
