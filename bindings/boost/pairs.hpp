/* The loops of two ranks, for messages of either kind (elements.hpp, objects.hpp). `a` and ping are rank 0,
   `b` and pong rank 1. */
#ifndef POLYMPI_BOOST_PAIRS_HPP
#define POLYMPI_BOOST_PAIRS_HPP

#include "messages.hpp"

namespace bench {

template <class Messages>
polympi_callbacks latency(const polympi_case &c, int rank, std::unique_ptr<Case> owner, const Messages &m) {
    if constexpr (Messages::HAVE_SENDRECV)
        if (c.send_mode == POLYMPI_SENDRECV) {
            const auto exchange = [m] { m.sendrecv(); };
            return pair(rank, std::move(owner), exchange, exchange);
        }
    if (c.completion == POLYMPI_NONBLOCKING) {
        const auto ping = [m] {
            m.isend(0).wait();
            m.irecv(0).wait();
        };
        const auto pong = [m] {
            m.irecv(0).wait();
            m.isend(0).wait();
        };
        return pair(rank, std::move(owner), ping, pong);
    }
    const auto ping = [m] {
        m.send(0);
        m.receive(0);
    };
    const auto pong = [m] {
        m.receive(0);
        m.send(0);
    };
    return pair(rank, std::move(owner), ping, pong);
}

/* Waits for the receives of a window. One of what is serialised looks for its message only when it is waited
   for, and `wait_all` looks for all of them in turn, so that messages would change places: these are waited
   for in order. */
template <class Messages> void wait_for_received(mpi::request *requests, int window) {
    if constexpr (Messages::POSTED) {
        mpi::wait_all(requests, requests + window);
    } else {
        for (int i = 0; i < window; i++)
            requests[i].wait();
    }
}

template <class Messages>
polympi_callbacks bandwidth(int window, int rank, std::unique_ptr<Requests> owner, const Messages &m) {
    mpi::request *const requests = owner->requests.data();
    const auto a = [m, requests, window] {
        for (int i = 0; i < window; i++)
            requests[i] = m.isend(i);
        mpi::wait_all(requests, requests + window);
        m.peer.await_acknowledgement();
    };
    const auto b = [m, requests, window] {
        for (int i = 0; i < window; i++)
            requests[i] = m.irecv(i);
        wait_for_received<Messages>(requests, window);
        m.peer.acknowledge();
    };
    return pair(rank, std::move(owner), a, b);
}

template <class Messages>
polympi_callbacks bibandwidth(int window, int rank, std::unique_ptr<Requests> owner, const Messages &m) {
    mpi::request *const requests = owner->requests.data();
    const auto both = [m, requests, window] {
        for (int i = 0; i < window; i++)
            requests[i] = m.irecv(i);
        for (int i = 0; i < window; i++)
            requests[window + i] = m.isend(i);
        wait_for_received<Messages>(requests, window);
        mpi::wait_all(requests + window, requests + 2 * window);
    };
    return pair(rank, std::move(owner), both, both);
}

template <class Messages>
polympi_callbacks stream(int window, int rank, std::unique_ptr<Case> owner, const Messages &m) {
    const auto a = [m, window] {
        for (int i = 0; i < window; i++)
            m.send(i);
        m.peer.await_acknowledgement();
    };
    const auto b = [m, window] {
        for (int i = 0; i < window; i++)
            m.receive(i);
        m.peer.acknowledge();
    };
    return pair(rank, std::move(owner), a, b);
}

template <class Messages>
polympi_callbacks pairs(const polympi_case &c, const polympi_buffers &buffers,
                        std::unique_ptr<Requests> owner, const Messages &m) {
    switch (c.benchmark) {
    case POLYMPI_BANDWIDTH:
        return bandwidth(buffers.window, buffers.rank, std::move(owner), m);
    case POLYMPI_BIBANDWIDTH:
        return bibandwidth(buffers.window, buffers.rank, std::move(owner), m);
    case POLYMPI_STREAM:
        return stream(buffers.window, buffers.rank, std::move(owner), m);
    default:
        return latency(c, buffers.rank, std::move(owner), m);
    }
}

} // namespace bench

#endif
