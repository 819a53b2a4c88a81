/* The inner product of two vectors, of which each rank has a part. */
#ifndef APPLICATIONS_INNER_PRODUCT_HPP
#define APPLICATIONS_INNER_PRODUCT_HPP

#include "part.hpp"

#include <cstdint>
#include <vector>

class InnerProduct {
  public:
    /* x_i = 1 / (i + 1) and y_i = (i + 1) (1 + i mod 3), i = 0, 1, ... Collective, as is all below. Throws
       std::bad_alloc on all ranks where one has no memory. */
    InnerProduct(MPI_Comm comm, std::int64_t length);

    void restart() { value_ = 0; }
    void advance(std::int64_t iterations);
    /* The sum on rank 0, nothing elsewhere. */
    Part part() const;
    /* Nanoseconds that this rank has spent in reductions. */
    std::int64_t communication_ns() const { return communication_ns_; }

  private:
    MPI_Comm comm_;
    int rank_ = 0;
    std::vector<double> x_, y_;
    double value_ = 0;
    std::int64_t communication_ns_ = 0;
};

#endif
