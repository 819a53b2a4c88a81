/* Many messages in flight: bandwidth, bibandwidth and stream. `a` is rank 0 and `b` rank 1. */
#include "exchange.hpp"
#include "loops.hpp"

namespace bench {
namespace {

constexpr int TAG = POLYMPI_PAYLOAD_TAG;

void post_receives(const Exchange &x, MPI_Request *requests) {
    char *slot = x.incoming;
    for (int i = 0; i < x.window; i++, slot += x.stride)
        MPI_Irecv(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, &requests[i]);
}

void start_sends(const Exchange &x, MPI_Request *requests) {
    const char *slot = x.outgoing;
    for (int i = 0; i < x.window; i++, slot += x.stride)
        MPI_Isend(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, &requests[i]);
}

polympi_callbacks bandwidth(const Exchange &x) {
    const auto a = [x] {
        start_sends(x, x.requests);
        MPI_Waitall(x.window, x.requests, MPI_STATUSES_IGNORE);
        await_acknowledgement(x);
    };
    const auto b = [x] {
        post_receives(x, x.requests);
        MPI_Waitall(x.window, x.requests, MPI_STATUSES_IGNORE);
        acknowledge(x);
    };
    return pair(x.rank, std::make_unique<Case>(), a, b);
}

polympi_callbacks bibandwidth(const Exchange &x) {
    const auto both = [x] {
        post_receives(x, x.requests);
        start_sends(x, x.requests + x.window);
        MPI_Waitall(2 * x.window, x.requests, MPI_STATUSES_IGNORE);
    };
    return pair(x.rank, std::make_unique<Case>(), both, both);
}

polympi_callbacks stream(const Exchange &x) {
    const auto a = [x] {
        const char *slot = x.outgoing;
        for (int i = 0; i < x.window; i++, slot += x.stride)
            MPI_Send(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD);
        await_acknowledgement(x);
    };
    const auto b = [x] {
        char *slot = x.incoming;
        for (int i = 0; i < x.window; i++, slot += x.stride)
            MPI_Recv(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        acknowledge(x);
    };
    return pair(x.rank, std::make_unique<Case>(), a, b);
}

} // namespace

polympi_callbacks windows(const polympi_case &c, const Exchange &x) {
    switch (c.benchmark) {
    case POLYMPI_BANDWIDTH:
        return bandwidth(x);
    case POLYMPI_STREAM:
        return stream(x);
    default:
        return bibandwidth(x);
    }
}

} // namespace bench
