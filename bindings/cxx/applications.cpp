#include "applications.hpp"

#include "inner_product.hpp"
#include "wave.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace bench {
namespace {

template <class Solver> struct Running {
    std::unique_ptr<Solver> solver;
    polympi_part *part; /* of the harness */
};

template <class Solver> Solver &solver_of(void *context) {
    return *static_cast<Running<Solver> *>(context)->solver;
}

template <class Solver> void singly(void *context, std::int32_t iterations, std::int64_t *ns) {
    for (std::int32_t i = 0; i < iterations; i++) {
        const std::int64_t start = polympi_now();
        solver_of<Solver>(context).advance(1);
        ns[i] = polympi_now() - start;
    }
}

/* From a common start: an iteration that a rank began too late is made again. */
template <class Solver> void singly_together(void *context, std::int32_t iterations, std::int64_t *ns) {
    common_start_agree();
    for (std::int32_t i = 0; i < iterations;) {
        solver_of<Solver>(context).advance(UNTIMED_CALLS);
        const std::int64_t start = common_start_wait();
        solver_of<Solver>(context).advance(1);
        ns[i] = polympi_now() - start;
        i += common_start_agree();
    }
}

template <class Solver> void show(void *context) {
    const Part found = solver_of<Solver>(context).part();
    polympi_part &part = *static_cast<Running<Solver> *>(context)->part;
    part.values = found.values;
    std::copy(found.start.begin(), found.start.end(), part.start);
    std::copy(found.count.begin(), found.count.end(), part.count);
    std::copy(found.stride.begin(), found.stride.end(), part.stride);
}

template <class Solver>
polympi_callbacks callbacks(std::unique_ptr<Solver> solver, polympi_part *part, bool rooted) {
    polympi_callbacks made = {};
    made.context = new Running<Solver>{std::move(solver), part};
    made.begin = [](void *context) { solver_of<Solver>(context).restart(); };
    made.batch = [](void *context, std::int32_t iterations) {
        solver_of<Solver>(context).advance(iterations);
    };
    made.singly = rooted ? singly_together<Solver> : singly<Solver>;
    made.show = show<Solver>;
    made.release = [](void *context) { delete static_cast<Running<Solver> *>(context); };
    made.communication = [](void *context) { return solver_of<Solver>(context).communication_ns(); };
    made.check = polympi_application_check;
    return made;
}

} // namespace

polympi_callbacks application(const polympi_case &c, const polympi_buffers &buffers) {
    const bool rooted = c.kind == POLYMPI_ROOTED;
    try {
        if (c.benchmark == POLYMPI_INNER_PRODUCT)
            return callbacks(std::make_unique<InnerProduct>(MPI_COMM_WORLD, buffers.edge), buffers.part,
                             rooted);
        return callbacks(
            std::make_unique<Wave>(MPI_COMM_WORLD, buffers.edge, c.variant == POLYMPI_VARIANT_OVERLAPPED),
            buffers.part, rooted);
    } catch (const std::exception &) {
        if (buffers.rank == 0)
            std::fprintf(
                stderr,
                "The mesh of case %d does not fit: a rank has no memory for its part, or no points.\n",
                static_cast<int>(c.id));
        MPI_Abort(MPI_COMM_WORLD, POLYMPI_NO_MEMORY);
        return {};
    }
}

} // namespace bench
