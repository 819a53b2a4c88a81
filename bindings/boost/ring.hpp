/* A message round all ranks: every rank but the first sends on what it received. */
#ifndef POLYMPI_BOOST_RING_HPP
#define POLYMPI_BOOST_RING_HPP

#include "elements.hpp"
#include "objects.hpp"

namespace bench {

inline int next_of(const polympi_buffers &buffers) { return (buffers.rank + 1) % buffers.ranks; }

inline int previous_of(const polympi_buffers &buffers) {
    return (buffers.rank + buffers.ranks - 1) % buffers.ranks;
}

template <class T> polympi_callbacks ring(const polympi_buffers &buffers, const Elements<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    const int next = next_of(buffers), previous = previous_of(buffers);
    const auto begins = [&world, m, next, previous] {
        world.send(next, TAG, m.outgoing, m.count);
        world.recv(previous, TAG, m.incoming, m.count);
    };
    const auto passes_on = [&world, m, next, previous] {
        world.recv(previous, TAG, m.incoming, m.count);
        world.send(next, TAG, m.incoming, m.count);
    };
    return pair(buffers.rank, std::make_unique<Case>(), begins, passes_on);
}

template <class T>
polympi_callbacks ring(const polympi_buffers &buffers, std::unique_ptr<Case> owner, const Objects<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    const int next = next_of(buffers), previous = previous_of(buffers);
    const auto receive = [&world, m, previous] {
        T object{};
        world.recv(previous, TAG, object);
        m.received(0) = std::move(object);
    };
    const auto begins = [&world, m, next, receive] {
        world.send(next, TAG, m.sent(0));
        receive();
    };
    const auto passes_on = [&world, m, next, receive] {
        receive();
        world.send(next, TAG, m.received(0));
    };
    return pair(buffers.rank, std::move(owner), begins, passes_on);
}

} // namespace bench

#endif
