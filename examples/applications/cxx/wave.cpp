#include "wave.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

namespace {

/* Numbers of 64 bytes, a cache line. */
constexpr std::int64_t line = 8;
/* Planes that are updated at a time. */
constexpr std::int64_t four = 4;
/* Along an axis, so that the numbers of a face are counted by an int, also where each row ends with line - 1
   numbers that are not used. */
constexpr std::int64_t most_points = 46328;
const double pi = std::acos(-1.0);

/* The update of a point: what it had before u, u, and the sums of its neighbours along each axis. */
inline double updated(double before, double u, double axis0, double axis1, double axis2, double a, double c) {
    return a * ((axis0 + axis1) + axis2) + c * u - before;
}

/* What a row needs of others lies in rows, too: `below` and `above` along axis 0, and so many numbers away
   `left` and `right` along axis 1. So that a compiler makes vectors of it, nothing depends on where the row
   is. */
void update_row(double *__restrict next, const double *__restrict u, const double *__restrict below,
                const double *__restrict above, std::int64_t left, std::int64_t right, double a, double c,
                std::int64_t count) {
    for (std::int64_t k = 0; k < count; k++)
        next[k] = updated(next[k], u[k], below[k] + above[k], u[left + k] + u[right + k], u[k - 1] + u[k + 1],
                          a, c);
}

/* A row of a plane and the same ones of the three planes above it. A plane is a neighbour of the planes
   beside it, and too large for the cache nearest to the processor: of four planes, six are loaded for four
   that are made, and of single planes twelve. */
void update_four(double *__restrict next, double *__restrict next1, double *__restrict next2,
                 double *__restrict next3, const double *__restrict u, std::int64_t plane,
                 const double *__restrict below, const double *__restrict above, std::int64_t left,
                 std::int64_t right, double a, double c, std::int64_t count) {
    const double *u1 = u + plane, *u2 = u1 + plane, *u3 = u2 + plane;
    for (std::int64_t k = 0; k < count; k++) {
        const double v = updated(next[k], u[k], below[k] + u1[k], u[left + k] + u[right + k],
                                 u[k - 1] + u[k + 1], a, c),
                     v1 = updated(next1[k], u1[k], u[k] + u2[k], u1[left + k] + u1[right + k],
                                  u1[k - 1] + u1[k + 1], a, c),
                     v2 = updated(next2[k], u2[k], u1[k] + u3[k], u2[left + k] + u2[right + k],
                                  u2[k - 1] + u2[k + 1], a, c),
                     v3 = updated(next3[k], u3[k], u2[k] + above[k], u3[left + k] + u3[right + k],
                                  u3[k - 1] + u3[k + 1], a, c);
        next[k] = v;
        next1[k] = v1;
        next2[k] = v2;
        next3[k] = v3;
    }
}

} // namespace

Wave::Wave(MPI_Comm comm, std::int64_t edge, bool overlapped)
    : mesh_(comm), edge_(edge), overlapped_(overlapped) {
    for (int axis = 0; axis < 3; axis++) {
        n_[axis] = mesh_.count(axis, edge);
        start_[axis] = mesh_.start(axis, edge);
    }
    const auto [least, most] = std::minmax_element(n_.begin(), n_.end());
    if (!everywhere(mesh_.comm(), *least >= least_points && *most <= most_points))
        throw std::invalid_argument("the mesh does not fit the ranks");
    bool made = true;
    try {
        allocate();
    } catch (const std::bad_alloc &) {
        made = false;
    }
    if (!everywhere(mesh_.comm(), made))
        throw std::bad_alloc();
    restart();
}

/* Point 1 of each row begins a cache line: a vector of a row then is one line, and not parts of two. The
   second field begins elsewhere in a page: else a processor takes values of it that are written for those of
   the first one with the same place in a page, and waits. */
void Wave::allocate() {
    constexpr std::int64_t page = 4096 / sizeof(double);
    row_ = (n_[2] + 2 + line - 1) / line * line;
    plane_ = (n_[1] + 2) * row_;
    const std::int64_t size = (n_[0] + 2) * plane_;
    second_ = (size + page - 1) / page * page + page / 2 + line;
    memory_.resize(static_cast<std::size_t>(first_ + second_ + size));
    for (int side = 2; side < 6; side++) {
        if (mesh_.at_boundary(side))
            continue;
        const auto points = static_cast<std::size_t>(n_[0] * (side < 4 ? n_[2] : n_[1]));
        faces_[side].outgoing.resize(points);
        faces_[side].incoming.resize(points);
    }
}

void Wave::restart() {
    std::array<std::vector<double>, 3> cosines;
    for (int axis = 0; axis < 3; axis++)
        for (std::int64_t i = 0; i < n_[axis]; i++)
            cosines[axis].push_back(
                std::cos(pi * static_cast<double>(start_[axis] + i) / static_cast<double>(edge_ - 1)));
    std::fill(memory_.begin(), memory_.end(), 0.0); /* the first step takes nothing from before it */
    for (std::int64_t i = 1; i <= n_[0]; i++)
        for (std::int64_t j = 1; j <= n_[1]; j++) {
            double *row = field(0) + index(i, j, 0);
            const double two = 2 * cosines[0][i - 1] * cosines[1][j - 1];
            std::transform(cosines[2].begin(), cosines[2].end(), row + 1,
                           [two](double z) { return two * z; });
            row[0] = row[2]; /* ghost points of a neighbour are overwritten by what it sends */
            row[n_[2] + 1] = row[n_[2] - 1];
        }
    current_ = 0;
    steps_ = 0;
}

void Wave::advance(std::int64_t steps) {
    const double ratio = time_step(edge_) * static_cast<double>(edge_ - 1);
    for (; steps > 0; steps--) {
        /* u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step. */
        const double share = steps_ == 0 ? 0.5 : 1, a = share * ratio * ratio, c = share * 2 - 6 * a;
        start_exchange();
        if (overlapped_) {
            overlapped_step(a, c);
        } else {
            finish_exchange();
            update({{1, 1, 1}, n_}, a, c);
        }
        current_ = 1 - current_;
        steps_++;
    }
}

/* The faces are in flight while the points inside are updated. The points next to ghost layers follow, axis
   by axis, each of them once. */
void Wave::overlapped_step(double a, double c) {
    Box inside;
    for (int axis = 0; axis < 3; axis++) {
        inside.first[axis] = mesh_.at_boundary(2 * axis) ? 1 : 2;
        inside.last[axis] = mesh_.at_boundary(2 * axis + 1) ? n_[axis] : n_[axis] - 1;
    }
    update(inside, a, c);
    finish_exchange();
    Box beside = inside;
    for (int axis = 2; axis >= 0; axis--) {
        if (inside.first[axis] == 2) {
            beside.first[axis] = beside.last[axis] = 1;
            update(beside, a, c);
        }
        if (inside.last[axis] < n_[axis]) {
            beside.first[axis] = beside.last[axis] = n_[axis];
            update(beside, a, c);
        }
        beside.first[axis] = 1;
        beside.last[axis] = n_[axis];
    }
}

/* The next values of a box overwrite the values before last, four planes at a time, and the planes that are
   left over one by one. A row beside the boundary takes its mirror image for the ghost row: u_0 = u_2. Only
   at the ends of rows the ghost points are written, while the row is in the cache. */
void Wave::update(const Box &box, double a, double c) {
    const double *u = field(current_);
    double *next = field(1 - current_);
    const std::int64_t first = box.first[2], count = box.last[2] - first + 1, n = n_[2];
    const bool begins = mesh_.at_boundary(4) && first == 1, ends = mesh_.at_boundary(5) && box.last[2] == n;
    std::int64_t planes;
    for (std::int64_t i = box.first[0]; i <= box.last[0]; i += planes) {
        planes = i + four - 1 <= box.last[0] ? four : 1;
        const std::int64_t last = i + planes - 1;
        const std::int64_t below = i == 1 && mesh_.at_boundary(0) ? 2 : i - 1,
                           above = last == n_[0] && mesh_.at_boundary(1) ? last - 1 : last + 1;
        for (std::int64_t j = box.first[1]; j <= box.last[1]; j++) {
            const std::int64_t left = j == 1 && mesh_.at_boundary(2) ? row_ : -row_,
                               right = j == n_[1] && mesh_.at_boundary(3) ? -row_ : row_;
            double *to = next + index(i, j, first);
            const double *from = u + index(i, j, first), *lower = u + index(below, j, first),
                         *upper = u + index(above, j, first);
            if (planes == four)
                update_four(to, to + plane_, to + 2 * plane_, to + 3 * plane_, from, plane_, lower, upper,
                            left, right, a, c, count);
            else
                update_row(to, from, lower, upper, left, right, a, c, count);
            for (std::int64_t plane = i; plane <= last; plane++) {
                double *row = next + index(plane, j, 0);
                if (begins)
                    row[0] = row[2];
                if (ends)
                    row[n + 1] = row[n - 1];
            }
        }
    }
}

/* Gives each point of a layer across axis 1 or 2 to `copy`, with its place in a packed face. */
template <class Copy> void Wave::copy_face(int axis, std::int64_t layer, double *packed, Copy copy) {
    double *u = field(current_);
    const std::int64_t count = axis == 1 ? n_[2] : n_[1], step = axis == 1 ? 1 : row_;
    for (std::int64_t i = 1; i <= n_[0]; i++, packed += count) {
        double *point = u + (axis == 1 ? index(i, layer, 1) : index(i, 1, layer));
        for (std::int64_t k = 0; k < count; k++)
            copy(point[k * step], packed[k]);
    }
}

/* Faces across axis 0 are planes, which travel from and to where they are, with the ghost points at the ends
   of their rows. A message has the number of the side at which it arrives. */
void Wave::start_exchange() {
    const Stopwatch stopwatch(communication_ns_);
    double *u = field(current_);
    const int plane = static_cast<int>(n_[1] * row_);
    outstanding_ = 0;
    for (int side = 0; side < 6; side++) {
        if (mesh_.at_boundary(side))
            continue;
        auto &incoming = faces_[side].incoming;
        MPI_Irecv(side < 2 ? u + index(side == 0 ? 0 : n_[0] + 1, 1, 0) : incoming.data(),
                  side < 2 ? plane : static_cast<int>(incoming.size()), MPI_DOUBLE, mesh_.neighbor(side),
                  side, mesh_.comm(), &requests_[outstanding_++]);
    }
    for (int side = 0; side < 6; side++) {
        if (mesh_.at_boundary(side))
            continue;
        auto &outgoing = faces_[side].outgoing;
        if (side >= 2)
            copy_face(side / 2, side % 2 ? n_[side / 2] : 1, outgoing.data(),
                      [](const double &point, double &packed) { packed = point; });
        MPI_Isend(side < 2 ? u + index(side == 0 ? 1 : n_[0], 1, 0) : outgoing.data(),
                  side < 2 ? plane : static_cast<int>(outgoing.size()), MPI_DOUBLE, mesh_.neighbor(side),
                  side ^ 1, mesh_.comm(), &requests_[outstanding_++]);
    }
}

void Wave::finish_exchange() {
    const Stopwatch stopwatch(communication_ns_);
    MPI_Waitall(outstanding_, requests_.data(), MPI_STATUSES_IGNORE);
    for (int side = 2; side < 6; side++)
        if (!mesh_.at_boundary(side))
            copy_face(side / 2, side % 2 ? n_[side / 2] + 1 : 0, faces_[side].incoming.data(),
                      [](double &point, const double &packed) { point = packed; });
}

Part Wave::part() const {
    return {memory_.data() + first_ + current_ * second_ + index(1, 1, 1), start_, n_, {plane_, row_, 1}};
}
