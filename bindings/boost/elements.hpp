/* Messages that are this many elements of a type that is an MPI datatype, in the memory of the harness. */
#ifndef POLYMPI_BOOST_ELEMENTS_HPP
#define POLYMPI_BOOST_ELEMENTS_HPP

#include "messages.hpp"

#include <cstddef>
#include <functional>

namespace bench {

template <class T> class Elements {
  public:
    static constexpr bool HAVE_SENDRECV = false;
    static constexpr bool POSTED = true; /* irecv is MPI_Irecv */

    Elements(const mpi::communicator &world, const polympi_buffers &buffers)
        : peer(world, buffers), count(static_cast<int>(buffers.count)),
          outgoing(static_cast<T *>(buffers.outgoing)), incoming(static_cast<T *>(buffers.incoming)),
          stride_(static_cast<std::size_t>(buffers.stride) / sizeof(T)) {}

    void send(int slot) const { peer.world->send(peer.rank, TAG, at(outgoing, slot), count); }
    void receive(int slot) const { peer.world->recv(peer.rank, TAG, at(incoming, slot), count); }
    mpi::request isend(int slot) const {
        return peer.world->isend(peer.rank, TAG, at(outgoing, slot), count);
    }
    mpi::request irecv(int slot) const {
        return peer.world->irecv(peer.rank, TAG, at(incoming, slot), count);
    }

    Peer peer;
    int count;
    T *outgoing;
    T *incoming;

  private:
    T *at(T *first, int slot) const { return first + static_cast<std::size_t>(slot) * stride_; }

    std::size_t stride_;
};

template <class T>
polympi_callbacks reductions(const polympi_case &c, const polympi_buffers &buffers, const Elements<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    auto owner = std::make_unique<Case>();
    if (c.benchmark == POLYMPI_ALLREDUCE)
        return together(std::move(owner), [&world, m] {
            mpi::all_reduce(world, m.outgoing, m.count, m.incoming, std::plus<T>());
        });
    const auto root = [&world, m] { mpi::reduce(world, m.outgoing, m.count, m.incoming, std::plus<T>(), 0); };
    const auto other = [&world, m] { mpi::reduce(world, m.outgoing, m.count, std::plus<T>(), 0); };
    return together(buffers.rank, std::move(owner), root, other);
}

template <class T>
polympi_callbacks collectives(const polympi_case &c, const polympi_buffers &buffers, const Elements<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    const int rank = buffers.rank;
    auto owner = std::make_unique<Case>();
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(std::move(owner), [&world, m] { mpi::broadcast(world, m.incoming, m.count, 0); });
    case POLYMPI_GATHER:
        return together(
            rank, std::move(owner), [&world, m] { mpi::gather(world, m.outgoing, m.count, m.incoming, 0); },
            [&world, m] { mpi::gather(world, m.outgoing, m.count, 0); });
    case POLYMPI_SCATTER:
        return together(
            rank, std::move(owner), [&world, m] { mpi::scatter(world, m.outgoing, m.incoming, m.count, 0); },
            [&world, m] { mpi::scatter(world, m.incoming, m.count, 0); });
    case POLYMPI_ALLGATHER:
        return together(std::move(owner),
                        [&world, m] { mpi::all_gather(world, m.outgoing, m.count, m.incoming); });
    default:
        return together(std::move(owner),
                        [&world, m] { mpi::all_to_all(world, m.outgoing, m.count, m.incoming); });
    }
}

} // namespace bench

#endif
