/* Many messages in flight: bandwidth, bibandwidth and stream. `a` is rank 0 and `b` rank 1. */
#include "exchange.hpp"
#include "loops.hpp"
#include "send_modes.hpp"

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

template <class Mode> void send_all(const Exchange &x) {
    const char *slot = x.outgoing;
    for (int i = 0; i < x.window; i++, slot += x.stride)
        Mode::send(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD);
    await_acknowledgement(x);
}

template <class Mode> polympi_callbacks stream(const polympi_case &c, const Exchange &x) {
    const auto a = [x] { send_all<Mode>(x); };
    const auto b = [x] {
        char *slot = x.incoming;
        for (int i = 0; i < x.window; i++, slot += x.stride)
            MPI_Recv(slot, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        acknowledge(x);
    };
    return pair(x.rank, std::make_unique<Attached>(c, x), a, b);
}

/* All receives are posted before the message that makes the other side send. */
polympi_callbacks ready_stream(const Exchange &x) {
    const auto a = [x] {
        await_acknowledgement(x);
        send_all<Ready>(x);
    };
    const auto b = [x] {
        post_receives(x, x.requests);
        acknowledge(x);
        MPI_Waitall(x.window, x.requests, MPI_STATUSES_IGNORE);
        acknowledge(x);
    };
    return pair(x.rank, std::make_unique<Case>(), a, b);
}

polympi_callbacks stream_in_mode(const polympi_case &c, const Exchange &x) {
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return stream<Synchronous>(c, x);
    case POLYMPI_BUFFERED:
        return stream<Buffered>(c, x);
    case POLYMPI_READY:
        return ready_stream(x);
    default:
        return stream<Standard>(c, x);
    }
}

} // namespace

polympi_callbacks windows(const polympi_case &c, const Exchange &x) {
    switch (c.benchmark) {
    case POLYMPI_BANDWIDTH:
        return bandwidth(x);
    case POLYMPI_STREAM:
        return stream_in_mode(c, x);
    default:
        return bibandwidth(x);
    }
}

} // namespace bench
