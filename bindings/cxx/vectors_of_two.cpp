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

/* The same, with the buffer that the mode buffered needs. */
class ReceivedWithBuffer final : public Case {
  public:
    explicit ReceivedWithBuffer(const Exchange &x)
        : received(x, 1, 1), attached_(x.attached), bytes_(x.attached_bytes) {}

    void begin() override {
        received.begin();
        MPI_Buffer_attach(attached_, bytes_);
    }

    void end() override {
        void *buffer;
        int bytes;
        MPI_Buffer_detach(&buffer, &bytes);
    }

    void show() override { received.show(); }

    Received received;

  private:
    void *attached_;
    int bytes_;
};

template <class Mode>
polympi_callbacks latency_of_vectors(std::unique_ptr<Case> owner, const Exchange &x, Vector *received) {
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

polympi_callbacks buffered_latency(const Exchange &x) {
    auto owner = std::make_unique<ReceivedWithBuffer>(x);
    Vector *received = owner->received.vectors.data();
    return latency_of_vectors<Buffered>(std::move(owner), x, received);
}

polympi_callbacks latency_in_mode(const polympi_case &c, const Exchange &x) {
    auto owner = std::make_unique<Received>(x, 1, 1);
    Vector *received = owner->vectors.data();
    return c.send_mode == POLYMPI_SYNCHRONOUS ? latency_of_vectors<Synchronous>(std::move(owner), x, received)
                                              : latency_of_vectors<Standard>(std::move(owner), x, received);
}

polympi_callbacks stream(const Exchange &x) {
    auto owner = std::make_unique<Received>(x, x.rank == 1 ? x.window : 0, 1);
    Vector *received = owner->vectors.data();
    const auto a = [x] {
        const char *slot = x.outgoing;
        for (int i = 0; i < x.window; i++, slot += x.stride)
            send<Standard>(x, slot);
        await_acknowledgement(x);
    };
    const auto b = [x, received] {
        for (int i = 0; i < x.window; i++)
            received[i] = receive(x.peer);
        acknowledge(x);
    };
    return pair(x.rank, std::move(owner), a, b);
}

} // namespace

polympi_callbacks vectors_of_two(const polympi_case &c, const Exchange &x) {
    if (c.benchmark == POLYMPI_STREAM)
        return stream(x);
    return c.send_mode == POLYMPI_BUFFERED ? buffered_latency(x) : latency_in_mode(c, x);
}

} // namespace bench
