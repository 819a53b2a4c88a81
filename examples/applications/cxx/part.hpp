/* What solvers in C++ share: the part of a result, agreement of the ranks, and the clock. */
#ifndef APPLICATIONS_PART_HPP
#define APPLICATIONS_PART_HPP

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>

/* A rank's part of a result, without ghost layers: element (i, j, k) of the part, which is (start[0] + i,
   ...) of the whole, is values[i * stride[0] + j * stride[1] + k * stride[2]]. */
struct Part {
    const double *values = nullptr;
    std::array<std::int64_t, 3> start{}, count{}, stride{};
};

/* Whether something is so on all ranks. Collective. */
inline bool everywhere(MPI_Comm comm, bool here) {
    int mine = here, all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

/* Adds the time from its making to its end to a sum of nanoseconds. */
class Stopwatch {
  public:
    explicit Stopwatch(std::int64_t &sum) : sum_(sum), begun_(Clock::now()) {}
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;
    ~Stopwatch() {
        sum_ += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begun_).count();
    }

  private:
    using Clock = std::chrono::steady_clock;
    std::int64_t &sum_;
    Clock::time_point begun_;
};

#endif
