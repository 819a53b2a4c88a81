#include "applications.hpp"

#include "inner_product.hpp"
#include "loops.hpp"
#include "wave.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace bench {
namespace {

template <class Solver> class Application : public Case {
  public:
    Application(std::unique_ptr<Solver> solver, polympi_part *part)
        : solver_(std::move(solver)), part_(part) {}

    Solver &solver() const { return *solver_; }
    void begin() override { solver_->restart(); }
    void show() override {
        const Part found = solver_->part();
        part_->values = found.values;
        std::copy(found.start.begin(), found.start.end(), part_->start);
        std::copy(found.count.begin(), found.count.end(), part_->count);
        std::copy(found.stride.begin(), found.stride.end(), part_->stride);
    }

  private:
    std::unique_ptr<Solver> solver_;
    polympi_part *part_; /* of the harness */
};

template <class Solver>
polympi_callbacks run(std::unique_ptr<Solver> solver, polympi_part *part, bool rooted) {
    auto owner = std::make_unique<Application<Solver>>(std::move(solver), part);
    auto iteration = [&runs = owner->solver()] { runs.advance(1); };
    using Iteration = decltype(iteration);
    polympi_callbacks made = callbacks(std::move(owner), std::move(iteration),
                                       rooted ? singly_together<Iteration> : singly<Iteration>);
    made.communication = [](void *context) {
        const Case &running = *static_cast<const Prepared<Iteration> *>(context)->owner;
        return static_cast<const Application<Solver> &>(running).solver().communication_ns();
    };
    made.check = polympi_application_check;
    return made;
}

} // namespace

polympi_callbacks application(const polympi_case &c, const polympi_buffers &buffers) {
    const bool rooted = c.kind == POLYMPI_ROOTED;
    try {
        if (c.benchmark == POLYMPI_INNER_PRODUCT)
            return run(std::make_unique<InnerProduct>(MPI_COMM_WORLD, buffers.edge), buffers.part, rooted);
        return run(
            std::make_unique<Wave>(MPI_COMM_WORLD, buffers.edge, c.variant == POLYMPI_VARIANT_OVERLAPPED),
            buffers.part, rooted);
    } catch (const std::exception &) {
        if (buffers.rank == 0)
            std::fprintf(
                stderr,
                "The mesh of case %d does not fit: a rank has no memory for its part, or no points.\n",
                static_cast<int>(c.id));
        MPI_Barrier(MPI_COMM_WORLD); // else another rank may end rank 0 before it has told
        polympi_abort(POLYMPI_NO_MEMORY);
        return {};
    }
}

} // namespace bench
