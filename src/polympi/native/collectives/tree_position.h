/* A rank in the tree of a call, in which messages go from a root to all ranks, or from all to the root.
 *
 * The tree is a binomial tree; where ranks are on several machines, it is one of the machines, and below each
 * machine one of its ranks. So a message crosses to every other machine once. Ranks are numbered by their
 * *positions*, from the root on, so that each rank has all that is below it at the positions after its own.
 */
#ifndef POLYMPI_COLLECTIVES_TREE_POSITION_H
#define POLYMPI_COLLECTIVES_TREE_POSITION_H

#include "collectives/collective_call.h"
#include "collectives/placement.h"

enum { NOBODY = -1 };
enum { MOST_CHILDREN = 2 * 31 }; /* ranks are numbered by int, and there are two levels */

/* Whether a root deals with all other ranks of its machine itself. Where ranks share processors, a tree waits
 * for the scheduler at each of its ranks; so the root writes to all mailboxes, or reads from them, when its
 * turn comes. */
bool without_tree(const Collective *collective);

/* ---- one level ---- */

/* Members 0, 1, 2, ... of a binomial tree from member 0 on, one of which is this rank or its machine. The
 * parent of a member has the same number without its lowest bit. */
typedef struct {
    int size, own;
    int children; /* of `own` */
    bool flat;    /* instead of the tree, all others are children of member 0 */
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
/* The children are numbered from 0 on, each next one with a larger part of the tree. */
static inline int level_child(const Level *level, int child) {
    return level->own + (level->flat ? child + 1 : 1 << child);
}
/* Of any member but 0. */
static inline int level_parent(const Level *level) { return level->flat ? 0 : level->own & (level->own - 1); }
/* The last member of this one's part of the tree, and one. */
static inline int level_end(const Level *level) {
    int part = level->flat ? 1 : level->own & -level->own;
    return !level->own || part > level->size - level->own ? level->size : level->own + part;
}

/* ---- a rank in both ---- */

typedef struct {
    const Placement *placement; /* NULL: all ranks are one level */
    int size, root;
    int units;      /* machines, or ranks if these are alike */
    int own;        /* the position of this rank */
    int part;       /* how many ranks are in its part of the tree, with itself */
    int parent;     /* a rank; NOBODY of the root */
    int children;   /* how many */
    Level here;     /* the ranks of this machine */
    Level machines; /* those, if this rank is the first of its machine; no children otherwise */
    /* These where there is a placement: */
    int shift, ranks;    /* of the root's machine: where the root is among its ranks; how many they are */
    int before, machine; /* ... the place of its first one; its number */
} TreePosition;

void tree_position_open(TreePosition *tree, const Collective *collective, int root);
/* Where there is a placement: the tree of the ranks of this machine alone, from the first of them on. Those
 * of other machines have their positions behind. */
void tree_position_open_on_machine(TreePosition *tree, const Collective *collective);
/* The tree from rank 0 on in which positions are ranks; without regard to machines where they prevent that.
 */
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
/* The position where a unit begins, as units are counted from the root's on; the number of all ranks, behind
 * the last one. */
int tree_position_unit(const TreePosition *tree, int unit);
/* The position of a child; of the number that is no child any more, the end of this rank's part. They are
 * numbered in the order of positions, so that the part of one ends where the next one is. */
int tree_position_child(const TreePosition *tree, int child);

#endif
