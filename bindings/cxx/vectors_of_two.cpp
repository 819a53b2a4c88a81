/* Vectors between two ranks. `a` and ping are rank 0, `b` and pong rank 1. */
#include "send_modes.hpp"
#include "vectors.hpp"

namespace bench {
namespace {

constexpr int TAG = POLYMPI_PAYLOAD_TAG;

template <class Mode> void send(const Exchange &x, const char *values) {
    Mode::send(values, x.count, MPI_DOUBLE, x.peer, TAG, MPI_COMM_WORLD);
}

Vector receive(int from) {
    MPI_Message message;
    MPI_Status status;
    int count;
    MPI_Mprobe(from, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    Vector values(static_cast<std::size_t>(count));
    MPI_Mrecv(values.data(), count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    return values;
}

/* The vectors received last, with the buffer that the mode buffered needs. */
class ReceivedInMode final : public Attached {
  public:
    ReceivedInMode(const polympi_case &c, const Exchange &x, int slots)
        : Attached(c, x), received(x, slots, 1) {}

    void begin() override {
        received.begin();
        Attached::begin();
    }

    void show() override { received.show(); }

    Received received;
};

template <class Mode> polympi_callbacks latency_of_vectors(const polympi_case &c, const Exchange &x) {
    auto owner = std::make_unique<ReceivedInMode>(c, x, 1);
    Vector *received = owner->received.vectors.data();
    const auto ping = [x, received] {
        send<Mode>(x, x.outgoing);
        *received = receive(x.peer);
    };
    const auto pong = [x, received] {
        *received = receive(x.peer);
        send<Mode>(x, x.outgoing);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

template <class Mode> polympi_callbacks stream_of_vectors(const polympi_case &c, const Exchange &x) {
    auto owner = std::make_unique<ReceivedInMode>(c, x, x.rank == 1 ? x.window : 0);
    Vector *received = owner->received.vectors.data();
    const auto a = [x] {
        const char *slot = x.outgoing;
        for (int i = 0; i < x.window; i++, slot += x.stride)
            send<Mode>(x, slot);
        await_acknowledgement(x);
    };
    const auto b = [x, received] {
        for (int i = 0; i < x.window; i++)
            received[i] = receive(x.peer);
        acknowledge(x);
    };
    return pair(x.rank, std::move(owner), a, b);
}

template <class Mode> polympi_callbacks in_mode(const polympi_case &c, const Exchange &x) {
    return c.benchmark == POLYMPI_STREAM ? stream_of_vectors<Mode>(c, x) : latency_of_vectors<Mode>(c, x);
}

} // namespace

polympi_callbacks vectors_of_two(const polympi_case &c, const Exchange &x) {
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return in_mode<Synchronous>(c, x);
    case POLYMPI_BUFFERED:
        return in_mode<Buffered>(c, x);
    default:
        return in_mode<Standard>(c, x);
    }
}

} // namespace bench
