/* Messages that are one object each: an integer, a struct, a vector, a string. What arrives becomes a new
   object. */
#ifndef POLYMPI_BOOST_OBJECTS_HPP
#define POLYMPI_BOOST_OBJECTS_HPP

#include "conversions.hpp"
#include "messages.hpp"

#include <cstddef>

namespace bench {

/* The objects of a case. For each type there are two functions that are found by their arguments:

   `from_slot(T &, void *, const polympi_buffers &)` makes the object that the harness has put into a slot;
   `to_slot(const T &, void *, const polympi_buffers &)` writes one that arrived as the harness has it. */
template <class T> class OwnedObjects final : public Requests {
  public:
    explicit OwnedObjects(const polympi_buffers &buffers)
        : Requests(buffers), outgoing(static_cast<std::size_t>(buffers.outgoing_messages)),
          incoming(static_cast<std::size_t>(buffers.incoming_messages)), buffers_(buffers) {
        for (std::size_t i = 0; i < outgoing.size(); i++)
            from_slot(outgoing[i], slot(buffers.outgoing, i), buffers);
    }

    void begin() override { incoming.assign(incoming.size(), T()); }

    void show() override {
        for (std::size_t i = 0; i < incoming.size(); i++)
            to_slot(incoming[i], slot(buffers_.incoming, i), buffers_);
    }

    std::vector<T> outgoing;
    std::vector<T> incoming;

  private:
    void *slot(void *first, std::size_t i) const {
        return static_cast<char *>(first) + i * static_cast<std::size_t>(buffers_.stride);
    }

    polympi_buffers buffers_;
};

/* What the loops need of them. */
template <class T> class Objects {
  public:
    static constexpr bool HAVE_SENDRECV = true;
    static constexpr bool POSTED = mpi::is_mpi_datatype<T>::value; /* irecv is MPI_Irecv */

    Objects(const mpi::communicator &world, const polympi_buffers &buffers, OwnedObjects<T> &owner)
        : peer(world, buffers), outgoing(&owner.outgoing), incoming(&owner.incoming) {}

    void send(int slot) const { peer.world->send(peer.rank, TAG, sent(slot)); }
    void receive(int slot) const {
        T object{};
        peer.world->recv(peer.rank, TAG, object);
        received(slot) = std::move(object);
    }
    mpi::request isend(int slot) const { return peer.world->isend(peer.rank, TAG, sent(slot)); }
    mpi::request irecv(int slot) const {
        received(slot) = T{};
        return peer.world->irecv(peer.rank, TAG, received(slot));
    }
    void sendrecv() const {
        T object{};
        peer.world->sendrecv(peer.rank, TAG, sent(0), peer.rank, TAG, object);
        received(0) = std::move(object);
    }

    const T &sent(int slot) const { return (*outgoing)[static_cast<std::size_t>(slot)]; }
    T &received(int slot) const { return (*incoming)[static_cast<std::size_t>(slot)]; }

    Peer peer;
    std::vector<T> *outgoing;
    std::vector<T> *incoming;
};

template <class T, class Operation>
polympi_callbacks reductions(const polympi_case &c, const polympi_buffers &buffers,
                             std::unique_ptr<Case> owner, const Objects<T> &m, Operation plus) {
    const mpi::communicator &world = *m.peer.world;
    if (c.benchmark == POLYMPI_ALLREDUCE)
        return together(std::move(owner), [&world, m, plus] {
            T sum{};
            mpi::all_reduce(world, m.sent(0), sum, plus);
            m.received(0) = std::move(sum);
        });
    const auto root = [&world, m, plus] {
        T sum{};
        mpi::reduce(world, m.sent(0), sum, plus, 0);
        m.received(0) = std::move(sum);
    };
    const auto other = [&world, m, plus] { mpi::reduce(world, m.sent(0), plus, 0); };
    return together(buffers.rank, std::move(owner), root, other);
}

template <class T>
polympi_callbacks rooted(const polympi_case &c, int rank, std::unique_ptr<Case> owner, const Objects<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    const auto keep = [m](T &&object) { m.received(0) = std::move(object); };
    const auto bcast_root = [&world, m] { mpi::broadcast(world, (*m.outgoing)[0], 0); };
    const auto bcast_other = [&world, keep] {
        T object{};
        mpi::broadcast(world, object, 0);
        keep(std::move(object));
    };
    const auto gather_root = [&world, m] {
        std::vector<T> all;
        mpi::gather(world, m.sent(0), all, 0);
        *m.incoming = std::move(all);
    };
    const auto gather_other = [&world, m] { mpi::gather(world, m.sent(0), 0); };
    const auto scatter_root = [&world, m, keep] {
        T object{};
        mpi::scatter(world, *m.outgoing, object, 0);
        keep(std::move(object));
    };
    const auto scatter_other = [&world, keep] {
        T object{};
        mpi::scatter(world, object, 0);
        keep(std::move(object));
    };
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(rank, std::move(owner), bcast_root, bcast_other);
    case POLYMPI_GATHER:
        return together(rank, std::move(owner), gather_root, gather_other);
    default:
        return together(rank, std::move(owner), scatter_root, scatter_other);
    }
}

template <class T>
polympi_callbacks collectives(const polympi_case &c, const polympi_buffers &buffers,
                              std::unique_ptr<Case> owner, const Objects<T> &m) {
    const mpi::communicator &world = *m.peer.world;
    if (c.kind == POLYMPI_ROOTED)
        return rooted(c, buffers.rank, std::move(owner), m);
    if (c.benchmark == POLYMPI_ALLGATHER)
        return together(std::move(owner), [&world, m] {
            std::vector<T> all;
            mpi::all_gather(world, m.sent(0), all);
            *m.incoming = std::move(all);
        });
    return together(std::move(owner), [&world, m] {
        std::vector<T> all;
        mpi::all_to_all(world, *m.outgoing, all);
        *m.incoming = std::move(all);
    });
}

} // namespace bench

#endif
