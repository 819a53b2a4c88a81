/* Ping-pong in all send modes and completions. Ping is rank 0, pong rank 1. */
#include "exchange.hpp"
#include "loops.hpp"
#include "send_modes.hpp"

namespace bench {
namespace {

/* Where persistent requests lie; in the mode `ready` AHEAD is also the receive that rank 1 posts ahead. */
enum { SENDING, AHEAD };

constexpr int TAG = POLYMPI_PAYLOAD_TAG;

void receive(const Exchange &x) {
    MPI_Recv(x.incoming, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void post(const Exchange &x, MPI_Request *request) {
    MPI_Irecv(x.incoming, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, request);
}

void wait(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

void wait_ahead(const Exchange &x) { wait(&x.requests[AHEAD]); }

void post_and_wait(const Exchange &x) {
    MPI_Request receiving;
    post(x, &receiving);
    wait(&receiving);
}

template <class Mode> void send(const Exchange &x) {
    Mode::send(x.outgoing, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD);
}

template <class Mode> void send_and_wait(const Exchange &x) {
    MPI_Request sending;
    Mode::start(x.outgoing, x.count, x.type, x.peer, TAG, MPI_COMM_WORLD, &sending);
    wait(&sending);
}

void restart_and_wait(MPI_Request *request) {
    MPI_Start(request);
    wait(request);
}

/* What a mode needs around iterations: an attached buffer, persistent requests, a receive posted ahead. */
class Latency final : public Attached {
  public:
    using Init = decltype(Standard::init);

    Latency(const polympi_case &c, const Exchange &x, Init init)
        : Attached(c, x), ready_(c.send_mode == POLYMPI_READY),
          persistent_(c.completion == POLYMPI_PERSISTENT), x_(x), init_(init) {}

    void begin() override {
        Attached::begin();
        if (persistent_) {
            init_(x_.outgoing, x_.count, x_.type, x_.peer, TAG, MPI_COMM_WORLD, &x_.requests[SENDING]);
            MPI_Recv_init(x_.incoming, x_.count, x_.type, x_.peer, TAG, MPI_COMM_WORLD, &x_.requests[AHEAD]);
        }
        if (ready_)
            begin_ready();
    }

    void end() override {
        if (ready_)
            end_ready();
        if (persistent_) {
            MPI_Request_free(&x_.requests[SENDING]);
            MPI_Request_free(&x_.requests[AHEAD]);
        }
        Attached::end();
    }

  private:
    /* Rank 1 posts its first receive and tells rank 0, which may send in the mode `ready` from then on. */
    void begin_ready() const {
        if (x_.rank == 0) {
            MPI_Recv(nullptr, 0, MPI_BYTE, x_.peer, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            return;
        }
        if (persistent_)
            MPI_Start(&x_.requests[AHEAD]);
        else
            post(x_, &x_.requests[AHEAD]);
        MPI_Send(nullptr, 0, MPI_BYTE, x_.peer, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD);
    }

    /* An empty message completes the receive that rank 1 has posted ahead and no iteration answers. */
    void end_ready() const {
        if (x_.rank == 0)
            MPI_Send(nullptr, 0, x_.type, x_.peer, TAG, MPI_COMM_WORLD);
        else
            wait_ahead(x_);
    }

    bool ready_;
    bool persistent_;
    Exchange x_;
    Init init_;
};

template <class Mode> polympi_callbacks blocking(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        send<Mode>(x);
        receive(x);
    };
    const auto pong = [x] {
        receive(x);
        send<Mode>(x);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

template <class Mode> polympi_callbacks nonblocking(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        send_and_wait<Mode>(x);
        post_and_wait(x);
    };
    const auto pong = [x] {
        post_and_wait(x);
        send_and_wait<Mode>(x);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

polympi_callbacks persistent(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        restart_and_wait(&x.requests[SENDING]);
        restart_and_wait(&x.requests[AHEAD]);
    };
    const auto pong = [x] {
        restart_and_wait(&x.requests[AHEAD]);
        restart_and_wait(&x.requests[SENDING]);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

/* In the mode `ready` every receive is posted before the message that makes the other side send. */

polympi_callbacks ready(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        MPI_Request receiving;
        post(x, &receiving);
        send<Ready>(x);
        wait(&receiving);
    };
    const auto pong = [x] {
        wait_ahead(x);
        post(x, &x.requests[AHEAD]);
        send<Ready>(x);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

polympi_callbacks ready_nonblocking(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        MPI_Request receiving;
        post(x, &receiving);
        send_and_wait<Ready>(x);
        wait(&receiving);
    };
    const auto pong = [x] {
        wait_ahead(x);
        post(x, &x.requests[AHEAD]);
        send_and_wait<Ready>(x);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

polympi_callbacks ready_persistent(std::unique_ptr<Case> owner, const Exchange &x) {
    const auto ping = [x] {
        MPI_Start(&x.requests[AHEAD]);
        restart_and_wait(&x.requests[SENDING]);
        wait_ahead(x);
    };
    const auto pong = [x] {
        wait_ahead(x);
        MPI_Start(&x.requests[AHEAD]);
        restart_and_wait(&x.requests[SENDING]);
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

polympi_callbacks sendrecv(const Exchange &x) {
    const auto exchange = [x] {
        MPI_Sendrecv(x.outgoing, x.count, x.type, x.peer, TAG, x.incoming, x.count, x.type, x.peer, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    return pair(x.rank, std::make_unique<Case>(), exchange, exchange);
}

template <class Mode> polympi_callbacks mode(const polympi_case &c, const Exchange &x) {
    auto owner = std::make_unique<Latency>(c, x, Mode::init);
    switch (c.completion) {
    case POLYMPI_NONBLOCKING:
        return nonblocking<Mode>(std::move(owner), x);
    case POLYMPI_PERSISTENT:
        return persistent(std::move(owner), x);
    default:
        return blocking<Mode>(std::move(owner), x);
    }
}

polympi_callbacks ready_mode(const polympi_case &c, const Exchange &x) {
    auto owner = std::make_unique<Latency>(c, x, Ready::init);
    switch (c.completion) {
    case POLYMPI_NONBLOCKING:
        return ready_nonblocking(std::move(owner), x);
    case POLYMPI_PERSISTENT:
        return ready_persistent(std::move(owner), x);
    default:
        return ready(std::move(owner), x);
    }
}

} // namespace

polympi_callbacks ping_pong(std::unique_ptr<Case> owner, const Exchange &x) {
    return blocking<Standard>(std::move(owner), x);
}

polympi_callbacks latency(const polympi_case &c, const Exchange &x) {
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return mode<Synchronous>(c, x);
    case POLYMPI_BUFFERED:
        return mode<Buffered>(c, x);
    case POLYMPI_READY:
        return ready_mode(c, x);
    case POLYMPI_SENDRECV:
        return sendrecv(x);
    default:
        return mode<Standard>(c, x);
    }
}

} // namespace bench
