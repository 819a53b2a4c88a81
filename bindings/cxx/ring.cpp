/* A message round all ranks: every rank but the first sends on what it received. */
#include "exchange.hpp"
#include "loops.hpp"

namespace bench {
namespace {

void send(const Exchange &x, const char *message) {
    MPI_Send(message, x.count, x.type, (x.rank + 1) % x.ranks, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD);
}

void receive(const Exchange &x) {
    const int previous = (x.rank + x.ranks - 1) % x.ranks;
    MPI_Recv(x.incoming, x.count, x.type, previous, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

} // namespace

polympi_callbacks ring(const Exchange &x) {
    const auto begins = [x] {
        send(x, x.outgoing);
        receive(x);
    };
    const auto passes_on = [x] {
        receive(x);
        send(x, x.incoming);
    };
    return pair(x.rank, std::make_unique<Case>(), begins, passes_on);
}

} // namespace bench
