/* What is projected, for ranks that SimGrid's SMPI simulates: the messages of benchmarks, without any
   computation.

       smpirun -no-privatize ... patterns PLAN

   Lines of PLAN (times in seconds):

       way LATENCY BANDWIDTH RANKS            between nodes, of so many ranks; bytes a second
       curve NAME BYTES TIME BYTES TIME ...   what a call costs its rank, by size; straight lines between
       mpich5                                 bcast and allreduce are those of MPICH 5 on nodes of one rank
       openmpi5                               bcast and alltoall are those of Open MPI 5
       arm NAME BYTES TIME BYTES TIME ...     what a binding adds to a message at each of its two ends
       collective PATTERN BYTES TIME ...      what the arm before adds to a call of a collective
       case PATTERN BYTES STYLE               what the arm before does

   The curves wire-send, wire-receive, node-send and node-receive are those of C, between nodes and within
   one; wire-both is what a message takes a receiver more that has sent one at the same time. They and the
   arms enter as the settings smpi/os and smpi/or do, by the callbacks that SMPI has for it, so that one
   process simulates all arms. STYLE says what happens in a collective: `built`, each message of it costs the
   binding what its own messages do; `called`, the messages are those of C, and the call costs the binding
   once; `doubled`, as `built`, and an allreduce is recursive doubling where it would halve (of as many ranks
   as a power of two).

   Writes a line `ARM PATTERN BYTES STYLE SECONDS` for each case: the simulated time from the common start
   until the last rank is done. Simulated ranks are contexts of one process, of which one runs at a time, and
   share what is static here: results need no message, and neither does the common start, a moment of the
   simulated clock that all know. */
#include <mpi.h>
#include <smpi/smpi.h>

#include <simgrid/actor.h>
#include <simgrid/s4u/Engine.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "choices.hpp"

namespace {

// Simulated seconds from the start of a case to that of the next; a case that lasts longer is an error. After
// 1000 cases a double still counts in steps of 2e-11 s.
constexpr double SLOT = 100.0;
constexpr int TAG = 1;
constexpr int DIMENSIONS = 3; // the most that a mesh has

struct Curve {
    std::vector<std::pair<double, double>> points; // sizes ascending
    double at(double bytes) const {
        if (points.size() < 2 || bytes <= points.front().first)
            return points.empty() ? 0.0 : points.front().second;
        size_t next = 1;
        while (next + 1 < points.size() && points[next].first < bytes)
            next++;
        const auto [x0, y0] = points[next - 1];
        const auto [x1, y1] = points[next];
        return std::max(0.0, y0 + (y1 - y0) * (bytes - x0) / (x1 - x0));
    }
};

struct Arm {
    std::string name;
    Curve message; // at each of its ends
    std::map<std::string, Curve> collectives;
};

struct Pattern {
    const char *name;
    void (*run)(const Rank &self, int bytes);
};

struct Case {
    const Pattern *pattern;
    int bytes;
    size_t arm;
    std::string style;
    double longest; // over the ranks that are done
};

std::map<std::string, Curve> curves;
std::vector<Arm> arms;
std::vector<Case> cases;
std::vector<char> inside;  // of each actor: whether it is in a collective that its binding only calls
std::vector<double> sent;  // of each actor: when it last sent a message between nodes
double latency, bandwidth; // of the way between nodes, in s and bytes/s
int per_node;              // ranks of a node
const Case *now;           // the case that is timed; none while SMPI prepares itself
const Arm *arm;
char *memory; // what all messages come from and go to; nobody looks at it
size_t half;  // where the part for receiving begins
int finished; // ranks that are done with all cases
bool mpich5, openmpi5;

double cost(size_t bytes, const char *within, const char *between, simgrid::s4u::Host *a,
            simgrid::s4u::Host *b) {
    if (!now)
        return 0.0;
    const double of_c = curves[a == b ? within : between].at(static_cast<double>(bytes));
    return of_c + (inside[sg_actor_self_get_pid()] ? 0.0 : arm->message.at(static_cast<double>(bytes)));
}

double send_cost(size_t bytes, simgrid::s4u::Host *a, simgrid::s4u::Host *b) {
    if (a != b)
        sent[sg_actor_self_get_pid()] = simgrid::s4u::Engine::get_clock();
    return cost(bytes, "node-send", "wire-send", a, b);
}

/* Whether this rank has sent a message between nodes while one of this many bytes was on its way to it. One
   that answers another has been on its way for two. */
bool sends_both_ways(size_t bytes) {
    const double ago = simgrid::s4u::Engine::get_clock() - sent[sg_actor_self_get_pid()];
    const double way =
        curves["wire-send"].at(static_cast<double>(bytes)) + latency + static_cast<double>(bytes) / bandwidth;
    return ago < 1.5 * way;
}

double receive_cost(size_t bytes, simgrid::s4u::Host *a, simgrid::s4u::Host *b) {
    const double both =
        now && a != b && sends_both_ways(bytes) ? curves["wire-both"].at(static_cast<double>(bytes)) : 0.0;
    return both + cost(bytes, "node-receive", "wire-receive", a, b);
}

void wait_for(double seconds) {
    if (seconds <= 0)
        return;
    timespec span;
    span.tv_sec = static_cast<time_t>(seconds);
    span.tv_nsec = static_cast<long>((seconds - static_cast<double>(span.tv_sec)) * 1e9);
    nanosleep(&span, nullptr); // simulated
}

/* A collective call. If the binding only calls it, it costs each rank what a call costs, and its messages are
 * C's. */
template <typename Call> void collective(const char *name, int bytes, const Call &call) {
    const auto pid = sg_actor_self_get_pid();
    if (now && now->style == "called") {
        const auto found = arm->collectives.find(name);
        const double seconds = found == arm->collectives.end() ? 0.0 : found->second.at(bytes);
        wait_for(seconds);
        inside[pid] = 1;
    }
    call();
    inside[pid] = 0;
}

/* Of the first rank, and of one in the middle, which is on another node if there are several. */
void ping_pong(const Rank &self, int bytes) {
    const int other = self.ranks / 2, partner = other - self.rank;
    if (self.rank != 0 && self.rank != other)
        return;
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 0) == (self.rank == 0))
            MPI_Send(memory, bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD);
        else
            MPI_Recv(memory + half, bytes, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void barrier(const Rank &, int bytes) {
    collective("barrier", bytes, [] { MPI_Barrier(MPI_COMM_WORLD); });
}

/* Messages of a rank follow each other on its wire: SimGrid would have them share it, and the first child
   would have its message no sooner than the last. */
void send_down(const Rank &self, Tree tree, int bytes) {
    const double wire = bytes / bandwidth - curves["wire-send"].at(bytes);
    bool busy = false;
    std::vector<MPI_Request> requests;
    if (self.rank != 0)
        MPI_Recv(memory + half, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (const int child : children_in(tree, self)) {
        const bool leaves = child / per_node != self.rank / per_node;
        if (busy && leaves)
            wait_for(wire);
        busy |= leaves;
        requests.emplace_back();
        MPI_Isend(memory, bytes, MPI_BYTE, child, TAG, MPI_COMM_WORLD, &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void bcast(const Rank &self, int bytes) {
    const Choice *choice = openmpi5 ? tree_of(self.ranks, bytes) : nullptr;
    collective("bcast", bytes, [&] {
        if (choice)
            send_down(self, choice->tree, bytes);
        else if (mpich5 && goes_down_a_tree(self.ranks, bytes))
            send_down(self, Tree::FARTHEST_FIRST, bytes);
        else
            MPI_Bcast(memory, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    });
}

/* Each rank reduces its part of the elements, and all gather the parts. */
void reduce_by_halving(const Rank &self, int elements) {
    std::vector<int> counts, places;
    for (int rank = 0, place = 0; rank < self.ranks; place += counts[rank++]) {
        counts.push_back(elements / self.ranks + (rank < elements % self.ranks));
        places.push_back(place);
    }
    MPI_Reduce_scatter(memory, memory + half, counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(memory, counts[self.rank], MPI_DOUBLE, memory + half, counts.data(), places.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
}

/* Each rank exchanges all it has with the one whose number differs in one bit, bit after bit. */
void reduce_by_doubling(const Rank &self, int bytes) {
    for (int step = 1; step < self.ranks; step *= 2)
        MPI_Sendrecv(memory, bytes, MPI_BYTE, self.rank ^ step, TAG, memory + half, bytes, MPI_BYTE,
                     self.rank ^ step, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void allreduce(const Rank &self, int bytes) {
    const int elements = bytes / static_cast<int>(sizeof(double));
    collective("allreduce", bytes, [&] {
        const bool doubled = now && now->style == "doubled" && (self.ranks & (self.ranks - 1)) == 0;
        if (mpich5 && doubled)
            reduce_by_doubling(self, bytes);
        else if (mpich5 && elements >= self.ranks)
            reduce_by_halving(self, elements);
        else
            MPI_Allreduce(memory, memory + half, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
}

/* In round k, all blocks whose number has bit k go 2^k ranks on (Bruck et al., 1997). */
void exchange_by_bruck(const Rank &self, int bytes) {
    for (int step = 1; step < self.ranks; step *= 2) {
        int blocks = 0;
        for (int block = step; block < self.ranks; block++)
            blocks += (block & step) != 0;
        MPI_Sendrecv(memory, blocks * bytes, MPI_BYTE, (self.rank + step) % self.ranks, TAG, memory + half,
                     blocks * bytes, MPI_BYTE, (self.rank + self.ranks - step) % self.ranks, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A message from each to each. Open MPI begins all at once, or one after the other. Here each rank has so
   many under way, the next of which begins where the first is over: that keeps ranks or wires as busy (with
   32, 256 ranks take 0.4 % longer), and SimGrid takes 4 s and not 50; with all at once, more than 4 minutes.
 */
void exchange_directly(const Rank &self, int bytes) {
    constexpr int UNDER_WAY = 4;
    MPI_Request requests[UNDER_WAY][2];
    for (auto &pair : requests)
        pair[0] = pair[1] = MPI_REQUEST_NULL;
    for (int distance = 1; distance < self.ranks; distance++) {
        MPI_Request *pair = requests[distance % UNDER_WAY];
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        MPI_Irecv(memory + half, bytes, MPI_BYTE, (self.rank + self.ranks - distance) % self.ranks, TAG,
                  MPI_COMM_WORLD, &pair[0]);
        MPI_Isend(memory, bytes, MPI_BYTE, (self.rank + distance) % self.ranks, TAG, MPI_COMM_WORLD,
                  &pair[1]);
    }
    MPI_Waitall(2 * UNDER_WAY, requests[0], MPI_STATUSES_IGNORE);
}

void alltoall(const Rank &self, int bytes) {
    collective("alltoall", bytes, [&] {
        if (!openmpi5)
            MPI_Alltoall(memory, bytes, MPI_BYTE, memory + half, bytes, MPI_BYTE, MPI_COMM_WORLD);
        else if (bytes < most_by_bruck(self.ranks))
            exchange_by_bruck(self, bytes);
        else
            exchange_directly(self, bytes);
    });
}

void ring(const Rank &self, int bytes) {
    const int next = (self.rank + 1) % self.ranks, last = (self.rank + self.ranks - 1) % self.ranks;
    if (self.rank == 0)
        MPI_Send(memory, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
    MPI_Recv(memory + half, bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (self.rank != 0)
        MPI_Send(memory, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD);
}

/* Neighbours of this rank in a mesh that is not periodic, in MPI's order of a Cartesian topology. (To make
   such a topology of 1024 ranks, SMPI takes minutes.) */
int find_neighbours(const Rank &self, int dimensions, int neighbours[]) {
    int sizes[DIMENSIONS] = {0}, count = 0;
    MPI_Dims_create(self.ranks, dimensions, sizes);
    for (int axis = dimensions - 1, stride = 1; axis >= 0; stride *= sizes[axis], axis--) {
        const int place = self.rank / stride % sizes[axis];
        if (place > 0)
            neighbours[count++] = self.rank - stride;
        if (place < sizes[axis] - 1)
            neighbours[count++] = self.rank + stride;
    }
    return count;
}

/* Sides exchanged with all neighbours, as the wave and conjugate gradients do it. */
void exchange(const Rank &self, int dimensions, int bytes) {
    MPI_Request requests[4 * DIMENSIONS];
    int neighbours[2 * DIMENSIONS], posted = 0;
    const int count = find_neighbours(self, dimensions, neighbours);
    for (int i = 0; i < count; i++)
        MPI_Irecv(memory + half, bytes, MPI_BYTE, neighbours[i], TAG, MPI_COMM_WORLD, &requests[posted++]);
    for (int i = 0; i < count; i++)
        MPI_Isend(memory, bytes, MPI_BYTE, neighbours[i], TAG, MPI_COMM_WORLD, &requests[posted++]);
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
}

void faces(const Rank &self, int bytes) { exchange(self, 3, bytes); }

void sides(const Rank &self, int bytes) { exchange(self, 2, bytes); }

/* An iteration of conjugate gradients: sides exchanged, and two inner products of all ranks. */
void conjugate_gradients(const Rank &self, int bytes) {
    exchange(self, 2, bytes);
    allreduce(self, sizeof(double));
    allreduce(self, sizeof(double));
}

const Pattern PATTERNS[] = {
    {"latency", ping_pong},   {"barrier", barrier},   {"bcast", bcast},
    {"allreduce", allreduce}, {"alltoall", alltoall}, {"ring", ring},
    {"wave-faces", faces},    {"sides", sides},       {"cg-iteration", conjugate_gradients},
};

const Pattern *find_pattern(const std::string &name) {
    for (const Pattern &pattern : PATTERNS)
        if (name == pattern.name)
            return &pattern;
    return nullptr;
}

bool read_curve(std::istringstream &words, Curve &curve) {
    for (double bytes, seconds; words >> bytes >> seconds;)
        curve.points.emplace_back(bytes, seconds);
    return words.eof();
}

bool read_line(const std::string &text) {
    std::istringstream words(text);
    std::string kind, name, style;
    words >> kind >> name;
    if (kind == "mpich5")
        return mpich5 = true;
    if (kind == "openmpi5")
        return openmpi5 = true;
    if (kind == "way") {
        latency = std::stod(name);
        words >> bandwidth >> per_node;
        return !words.fail() && bandwidth > 0 && per_node > 0;
    }
    if (kind == "curve")
        return read_curve(words, curves[name]);
    if (kind == "arm") {
        arms.emplace_back();
        arms.back().name = name;
        return read_curve(words, arms.back().message);
    }
    if (kind == "collective" && !arms.empty())
        return read_curve(words, arms.back().collectives[name]);
    int bytes = -1;
    words >> bytes >> style;
    const Pattern *pattern = find_pattern(name);
    cases.push_back({pattern, bytes, arms.size() - 1, style, 0.0});
    return kind == "case" && pattern && !arms.empty() && bytes >= 0 && bytes < TOO_MANY && !words.fail();
}

/* Ends the whole simulation; SMPI's MPI_Abort would end a rank, and call that a success. */
[[noreturn]] void stop(const std::string &why) {
    std::cerr << "patterns: " << why << std::endl;
    std::_Exit(3);
}

/* Done by whichever rank comes first. */
void prepare(const char *path, size_t ranks) {
    std::ifstream plan(path);
    for (std::string line; std::getline(plan, line);)
        if (!read_line(line))
            stop("this line of the plan is not possible: " + line);
    if (cases.empty())
        stop(std::string("there is no case in ") + path);
    for (const Case &one : cases)
        half =
            std::max(half, one.bytes * (one.pattern->run == alltoall ? ranks : size_t{1}) + sizeof(double));
    memory = static_cast<char *>(malloc(2 * half)); // pages that are never written take no memory
    if (!memory)
        stop("there is no memory for the messages");
    inside.assign(ranks + 2, 0);
    sent.assign(ranks + 2, -SLOT);
    smpi_register_op_cost_callback(SmpiOperation::SEND, send_cost);
    smpi_register_op_cost_callback(SmpiOperation::ISEND, send_cost);
    smpi_register_op_cost_callback(SmpiOperation::RECV, receive_cost);
}

} // namespace

int main(int argc, char **argv) {
    Rank self;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
    if (argc != 2)
        stop("it needs the name of a plan");
    if (cases.empty())
        prepare(argv[1], static_cast<size_t>(self.ranks));
    allreduce(self, sizeof(double)); // the first call of a collective finds out which ranks share a node
    bcast(self, sizeof(double));
    double start = 0.0;
    for (Case &one : cases) {
        start += SLOT;
        const double left = start - MPI_Wtime();
        if (left < 0)
            stop("a case takes too long on this network");
        wait_for(left);
        now = &one;
        arm = &arms[one.arm];
        const double begun = MPI_Wtime();
        one.pattern->run(self, one.bytes);
        one.longest = std::max(one.longest, MPI_Wtime() - begun);
    }
    if (++finished == self.ranks)
        for (const Case &one : cases)
            std::printf("%s %s %d %s %.12f\n", arms[one.arm].name.c_str(), one.pattern->name, one.bytes,
                        one.style.c_str(), one.longest);
    MPI_Finalize();
    return 0;
}
