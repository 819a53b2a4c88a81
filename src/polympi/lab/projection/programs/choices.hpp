/* How libraries choose the algorithms of bcast and alltoall, by ranks and bytes, and the trees of bcast: Open
   MPI 5 (coll_tuned_decision_fixed.c and coll_base_topo.c of Open MPI 5.0; SMPI has the rules of Open MPI 1),
   and MPICH for its bcast of small data. */
#ifndef POLYMPI_CHOICES_HPP
#define POLYMPI_CHOICES_HPP

#include <vector>

namespace {

constexpr int TOO_MANY = 1 << 28; // bytes of a message

struct Rank {
    int rank, ranks;
};

/* The trees of Open MPI 5's bcast, from rank 0 on, and that of MPICH: binomial, with the farthest child
 * first. */
enum class Tree { LINEAR, CHAIN, BINARY, BINOMIAL, KNOMIAL, FARTHEST_FIRST };
constexpr int RADIX = 4; // of its k-nomial tree

struct Choice {
    int ranks, bytes; // below both
    Tree tree;
};

/* Which it takes. Its split binary tree, for 16 to 32 KiB to
   256 ranks and more, is a binary tree here. What is not here it scatters and gathers. */
constexpr Choice CHOICES[] = {
    {4, 32, Tree::CHAIN},
    {4, 256, Tree::BINARY},
    {4, 512, Tree::CHAIN},
    {4, 1024, Tree::KNOMIAL},
    {4, 32768, Tree::LINEAR},
    {4, 131072, Tree::BINARY},
    {4, 262144, Tree::CHAIN},
    {4, 524288, Tree::LINEAR},
    {4, 1048576, Tree::BINOMIAL},
    {4, TOO_MANY, Tree::BINARY},
    {8, 64, Tree::BINARY},
    {8, 128, Tree::BINOMIAL},
    {8, 2048, Tree::BINARY},
    {8, 8192, Tree::BINOMIAL},
    {8, 1048576, Tree::LINEAR},
    {8, TOO_MANY, Tree::CHAIN},
    {16, 8, Tree::KNOMIAL},
    {16, 64, Tree::BINARY},
    {16, 4096, Tree::KNOMIAL},
    {16, 16384, Tree::BINARY},
    {16, 32768, Tree::BINOMIAL},
    {16, TOO_MANY, Tree::LINEAR},
    {32, 4096, Tree::KNOMIAL},
    {32, 1048576, Tree::BINOMIAL},
    {64, 2048, Tree::BINOMIAL},
    {64, TOO_MANY, Tree::KNOMIAL},
    {128, TOO_MANY, Tree::KNOMIAL},
    {256, 2, Tree::BINOMIAL},
    {256, 16384, Tree::BINARY},
    {256, 32768, Tree::LINEAR},
    {256, 65536, Tree::BINARY},
    {256, TOO_MANY, Tree::KNOMIAL},
    {1024, 16384, Tree::KNOMIAL},
    {1024, 32768, Tree::BINARY},
    {1024, TOO_MANY, Tree::KNOMIAL},
    {2048, 524288, Tree::KNOMIAL},
    {4096, 262144, Tree::KNOMIAL},
    {TOO_MANY, 8192, Tree::KNOMIAL},
    {TOO_MANY, 16384, Tree::BINARY},
    {TOO_MANY, 262144, Tree::KNOMIAL},
};

/* NULL: none of them. */
const Choice *tree_of(int ranks, int bytes) {
    int below = 0;
    for (const Choice &one : CHOICES) {
        if (ranks >= one.ranks)
            continue;
        if (below && one.ranks != below)
            return nullptr;
        if (bytes < one.bytes)
            return &one;
        below = one.ranks;
    }
    return nullptr;
}

/* Whether MPICH's bcast goes down its tree (MPIR_CVAR_BCAST_SHORT_MSG_SIZE, MPIR_CVAR_BCAST_MIN_PROCS). */
bool goes_down_a_tree(int ranks, int bytes) { return bytes < 12288 || ranks < 8; }

/* The children of a rank, in the order in which it sends to them. */
std::vector<int> children_in(Tree tree, const Rank &self) {
    std::vector<int> found;
    const auto add = [&](int child) {
        if (child < self.ranks)
            found.push_back(child);
    };
    int step = 1;
    const int radix = tree == Tree::KNOMIAL ? RADIX : 2;
    switch (tree) {
    case Tree::LINEAR:
        for (int child = 1; self.rank == 0 && child < self.ranks; child++)
            add(child);
        break;
    case Tree::CHAIN:
        add(self.rank + 1);
        break;
    case Tree::BINARY: // ranks 2^l - 1 to 2^(l + 1) - 2 are level l
        while (2 * step <= self.rank + 1)
            step *= 2;
        add(self.rank + step);
        add(self.rank + 2 * step);
        break;
    case Tree::BINOMIAL: // without its highest bit, a rank is its parent
        while (step <= self.rank)
            step *= 2;
        for (; step < self.ranks; step *= 2)
            add(self.rank + step);
        break;
    case Tree::KNOMIAL: // without its lowest digit that is not 0, a rank is its parent
    case Tree::FARTHEST_FIRST:
        while (step < self.ranks && self.rank % (radix * step) == 0)
            step *= radix;
        for (step /= radix; step > 0; step /= radix)
            for (int digit = 1; digit < radix; digit++)
                add(self.rank + digit * step);
        break;
    }
    return found;
}

/* Bytes below which Open MPI 5 has an alltoall of that many ranks go by Bruck's algorithm. */
int most_by_bruck(int ranks) {
    if (ranks < 16)
        return 0;
    if (ranks < 64 || (ranks >= 512 && ranks < 2048))
        return 512;
    return ranks < 4096 ? 1024 : 2048;
}

} // namespace

#endif
