#include "collectives/branch.h"

#include "collectives/mailbox.h"

_Static_assert(MOST_IN_A_CROWD - 1 <= MOST_CHILDREN / 2, "a root without a tree has no more children");

bool without_tree(const Collective *collective) {
    return state.crowded && collective->comm->together && collective->comm->size <= MOST_IN_A_CROWD;
}

int branch_unit(const Branch *branch, int unit) {
    if (likely(!branch->placement))
        return unit;
    if (unit == branch->units)
        return branch->size;
    int place = branch->placement->first[(branch->machine + unit) % branch->units];
    return (place - branch->before + branch->size) % branch->size;
}

/* On one level. */
static void place_alike(Branch *branch, int rank, bool flat) {
    branch->units = branch->size;
    branch->own = rank < branch->root ? rank - branch->root + branch->size : rank - branch->root;
    branch->here = level_of(branch->size, branch->own, flat);
    branch->machines.children = 0;
    branch->part = level_end(&branch->here) - branch->own;
    branch->parent = branch->own ? branch_rank(branch, level_parent(&branch->here)) : NOBODY;
}

/* On two levels. */
static void place_on_machines(Branch *branch, int rank, bool flat) {
    const Placement *placement = branch->placement;
    int machine = placement->machine[rank], member = place_on_machine(placement, rank);
    branch->units = placement->machines;
    branch->machine = placement->machine[branch->root];
    branch->before = placement->first[branch->machine];
    branch->shift = place_on_machine(placement, branch->root);
    branch->ranks = ranks_of_machine(placement, branch->machine);
    if (machine == branch->machine)
        member = (member - branch->shift + branch->ranks) % branch->ranks;
    branch->machines =
        level_of(branch->units, (machine - branch->machine + branch->units) % branch->units, false);
    branch->here = level_of(ranks_of_machine(placement, machine), member, flat);
    int begin = branch_unit(branch, branch->machines.own);
    branch->own = begin + member;
    if (member) {
        branch->machines.children = 0;
        branch->part = level_end(&branch->here) - member;
        branch->parent = branch_rank(branch, begin + level_parent(&branch->here));
    } else {
        branch->part = branch_unit(branch, level_end(&branch->machines)) - begin;
        branch->parent = branch->machines.own
                             ? branch_rank(branch, branch_unit(branch, level_parent(&branch->machines)))
                             : NOBODY;
    }
}

static void open_branch(Branch *branch, const Communicator *comm, const Placement *placement, int root,
                        bool flat) {
    branch->placement = placement;
    branch->size = comm->size;
    branch->root = root;
    if (likely(!placement))
        place_alike(branch, comm->rank, flat);
    else
        place_on_machines(branch, comm->rank, flat);
    branch->children = branch->here.children + branch->machines.children;
}

void branch_open(Branch *branch, const Collective *collective, int root) {
    open_branch(branch, collective->comm, collective->comm->placement, root, without_tree(collective));
}

void branch_open_in_order(Branch *branch, const Communicator *comm) {
    open_branch(branch, comm, placement_in_order(comm), 0, false);
}

void branch_open_on_machine(Branch *branch, const Collective *collective) {
    const Placement *placement = collective->comm->placement;
    branch_open(branch, collective,
                rank_on_machine(placement, placement->machine[collective->comm->rank], 0));
    if (branch->own == 0) {
        branch->part = branch->ranks;
        branch->children = branch->here.children;
    }
}

int branch_child(const Branch *branch, int child) {
    if (child == branch->children)
        return branch->own + branch->part;
    if (child < branch->here.children)
        return branch->own - branch->here.own + level_child(&branch->here, child);
    return branch_unit(branch, level_child(&branch->machines, child - branch->here.children));
}
