/* The wave equation in a cube whose boundary reflects, u_tt = u_xx + u_yy + u_zz, by central differences, on
   a mesh of ranks that exchange the faces of their blocks. */
#ifndef APPLICATIONS_WAVE_HPP
#define APPLICATIONS_WAVE_HPP

#include "huge_pages.hpp"
#include "mesh.hpp"
#include "part.hpp"

#include <array>
#include <cstdint>
#include <vector>

class Wave {
  public:
    static constexpr std::int64_t least_points = 3; /* along an axis of a rank */

    /* A mesh of edge^3 points, divided among the ranks; overlapped: points that need no neighbour are updated
       while the faces are in flight. Collective, as is all below. Throws std::bad_alloc on all ranks where
       one has no memory, and std::invalid_argument where one would have too few points. */
    Wave(MPI_Comm comm, std::int64_t edge, bool overlapped);

    /* The state before the first step: u = 2 cos(pi x) cos(pi y) cos(pi z) at rest. */
    void restart();
    void advance(std::int64_t steps);
    /* Where this rank's part of u is; valid until the next step. */
    Part part() const;
    /* Nanoseconds that this rank has spent in the exchange of faces. */
    std::int64_t communication_ns() const { return communication_ns_; }

    /* The step in time: 0.57728 of the spacing, a little less than the 1 / sqrt(3) up to which it is stable.
     */
    static double time_step(std::int64_t edge) { return 0.004510 * 128 / static_cast<double>(edge - 1); }

  private:
    using Axes = std::array<std::int64_t, 3>;
    /* Points from first to last, both included, along each axis. */
    struct Box {
        Axes first, last;
    };
    static constexpr std::int64_t first_ = 7; /* of the memory: point 1 of its rows begins a cache line */
    struct Face {
        std::vector<double> outgoing, incoming;
    };

    std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return i * plane_ + j * row_ + k;
    }
    double *field(int which) { return memory_.data() + first_ + which * second_; }
    void allocate();
    void update(const Box &box, double a, double c);
    void overlapped_step(double a, double c);
    void start_exchange();
    void finish_exchange();
    template <class Copy> void copy_face(int axis, std::int64_t layer, double *packed, Copy copy);

    Mesh mesh_;
    std::int64_t edge_;
    bool overlapped_;
    Axes n_{}, start_{};                            /* this rank's points; 0 and n + 1 are ghost layers */
    std::int64_t row_ = 0, plane_ = 0, second_ = 0; /* numbers from one row, plane, field to the next */
    std::array<Face, 6> faces_; /* side 2 a is the lower one of axis a; those of axis 0 are not copied */
    std::vector<double, HugePages<double>> memory_; /* of u and of the step before it, by turns */
    int current_ = 0;                               /* the field of u */
    std::int64_t steps_ = 0, communication_ns_ = 0;
    std::array<MPI_Request, 12> requests_{};
    int outstanding_ = 0;
};

#endif
