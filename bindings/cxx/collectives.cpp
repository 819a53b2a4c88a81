/* One collective call an iteration, root 0. */
#include "exchange.hpp"
#include "loops.hpp"

namespace bench {
namespace {

template <class Iteration> polympi_callbacks plain(Iteration iteration) {
    return together(std::make_unique<Case>(), iteration);
}

} // namespace

polympi_callbacks collectives(const polympi_case &c, const Exchange &x) {
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return plain([x] { MPI_Bcast(x.incoming, x.count, x.type, 0, MPI_COMM_WORLD); });
    case POLYMPI_REDUCE:
        return plain(
            [x] { MPI_Reduce(x.outgoing, x.incoming, x.count, x.type, MPI_SUM, 0, MPI_COMM_WORLD); });
    case POLYMPI_ALLREDUCE:
        return plain(
            [x] { MPI_Allreduce(x.outgoing, x.incoming, x.count, x.type, MPI_SUM, MPI_COMM_WORLD); });
    case POLYMPI_GATHER:
        return plain(
            [x] { MPI_Gather(x.outgoing, x.count, x.type, x.incoming, x.count, x.type, 0, MPI_COMM_WORLD); });
    case POLYMPI_SCATTER:
        return plain([x] {
            MPI_Scatter(x.outgoing, x.count, x.type, x.incoming, x.count, x.type, 0, MPI_COMM_WORLD);
        });
    case POLYMPI_ALLGATHER:
        return plain(
            [x] { MPI_Allgather(x.outgoing, x.count, x.type, x.incoming, x.count, x.type, MPI_COMM_WORLD); });
    case POLYMPI_ALLTOALL:
        return plain(
            [x] { MPI_Alltoall(x.outgoing, x.count, x.type, x.incoming, x.count, x.type, MPI_COMM_WORLD); });
    default:
        return plain([] { MPI_Barrier(MPI_COMM_WORLD); });
    }
}

} // namespace bench
