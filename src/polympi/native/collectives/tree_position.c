#include "collectives/tree_position.h"

#include "collectives/mailbox.h"

_Static_assert(MOST_OVERSUBSCRIBED - 1 <= MOST_CHILDREN / 2, "a root without a tree has fewer children");

bool without_tree(const Collective *collective) {
    return state.oversubscribed && collective->comm->together &&
           collective->comm->size <= MOST_OVERSUBSCRIBED;
}

int tree_position_unit(const TreePosition *tree, int unit) {
    if (likely(!tree->placement))
        return unit;
    if (unit == tree->units)
        return tree->size;
    int place = tree->placement->first[(tree->machine + unit) % tree->units];
    return (place - tree->before + tree->size) % tree->size;
}

/* On one level. */
static void place_on_one_level(TreePosition *tree, int rank, bool flat) {
    tree->units = tree->size;
    tree->own = rank < tree->root ? rank - tree->root + tree->size : rank - tree->root;
    tree->here = level_of(tree->size, tree->own, flat);
    tree->machines.children = 0;
    tree->part = level_end(&tree->here) - tree->own;
    tree->parent = tree->own ? tree_position_rank(tree, level_parent(&tree->here)) : NOBODY;
}

/* On two levels. */
static void place_on_machines(TreePosition *tree, int rank, bool flat) {
    const Placement *placement = tree->placement;
    int machine = placement->machine[rank], member = place_on_machine(placement, rank);
    tree->units = placement->machines;
    tree->machine = placement->machine[tree->root];
    tree->before = placement->first[tree->machine];
    tree->shift = place_on_machine(placement, tree->root);
    tree->ranks = ranks_of_machine(placement, tree->machine);
    if (machine == tree->machine)
        member = (member - tree->shift + tree->ranks) % tree->ranks;
    tree->machines = level_of(tree->units, (machine - tree->machine + tree->units) % tree->units, false);
    tree->here = level_of(ranks_of_machine(placement, machine), member, flat);
    int begin = tree_position_unit(tree, tree->machines.own);
    tree->own = begin + member;
    if (member) {
        tree->machines.children = 0;
        tree->part = level_end(&tree->here) - member;
        tree->parent = tree_position_rank(tree, begin + level_parent(&tree->here));
    } else {
        tree->part = tree_position_unit(tree, level_end(&tree->machines)) - begin;
        tree->parent = tree->machines.own
                           ? tree_position_rank(tree, tree_position_unit(tree, level_parent(&tree->machines)))
                           : NOBODY;
    }
}

static void open_position(TreePosition *tree, const Communicator *comm, const Placement *placement, int root,
                          bool flat) {
    tree->placement = placement;
    tree->size = comm->size;
    tree->root = root;
    if (likely(!placement))
        place_on_one_level(tree, comm->rank, flat);
    else
        place_on_machines(tree, comm->rank, flat);
    tree->children = tree->here.children + tree->machines.children;
}

void tree_position_open(TreePosition *tree, const Collective *collective, int root) {
    open_position(tree, collective->comm, collective->comm->placement, root, without_tree(collective));
}

void tree_position_open_in_order(TreePosition *tree, const Communicator *comm) {
    open_position(tree, comm, placement_in_order(comm), 0, false);
}

void tree_position_open_on_machine(TreePosition *tree, const Collective *collective) {
    const Placement *placement = collective->comm->placement;
    tree_position_open(tree, collective,
                       rank_on_machine(placement, placement->machine[collective->comm->rank], 0));
    if (tree->own == 0) {
        tree->part = tree->ranks;
        tree->children = tree->here.children;
    }
}

int tree_position_child(const TreePosition *tree, int child) {
    if (child == tree->children)
        return tree->own + tree->part;
    if (child < tree->here.children)
        return tree->own - tree->here.own + level_child(&tree->here, child);
    return tree_position_unit(tree, level_child(&tree->machines, child - tree->here.children));
}
