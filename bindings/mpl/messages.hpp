/* What a case sends by MPL: elements with a layout, a single value, or a container. */
#ifndef POLYMPI_MPL_MESSAGES_HPP
#define POLYMPI_MPL_MESSAGES_HPP

#include "pairs.hpp"
#include "polympi_harness.h"

#include <cstddef>
#include <memory>
#include <mpl/mpl.hpp>
#include <utility>

namespace bench {

inline mpl::tag_t payload_tag() { return mpl::tag_t(int{POLYMPI_PAYLOAD_TAG}); }
inline mpl::tag_t acknowledgement_tag() { return mpl::tag_t(int{POLYMPI_ACKNOWLEDGEMENT_TAG}); }

/* The calls of a send mode, so that a loop of a mode calls them directly. */
#define POLYMPI_SEND_MODE(Mode, blocking, nonblocking, persistent, ready)                                    \
    struct Mode {                                                                                            \
        static constexpr bool READY = ready;                                                                 \
        template <class... Words> static void send(const mpl::communicator &world, Words &&...words) {       \
            world.blocking(std::forward<Words>(words)...);                                                   \
        }                                                                                                    \
        template <class... Words> static auto start(const mpl::communicator &world, Words &&...words) {      \
            return world.nonblocking(std::forward<Words>(words)...);                                         \
        }                                                                                                    \
        template <class... Words> static auto init(const mpl::communicator &world, Words &&...words) {       \
            return world.persistent(std::forward<Words>(words)...);                                          \
        }                                                                                                    \
    };
POLYMPI_SEND_MODE(Standard, send, isend, send_init, false)
POLYMPI_SEND_MODE(Synchronous, ssend, issend, ssend_init, false)
POLYMPI_SEND_MODE(Buffered, bsend, ibsend, bsend_init, false)
POLYMPI_SEND_MODE(Ready, rsend, irsend, rsend_init, true)
#undef POLYMPI_SEND_MODE

/* The other rank of a point-to-point benchmark. */
class Peer {
  public:
    Peer(const mpl::communicator &world, const polympi_buffers &buffers)
        : world(&world), rank(1 - buffers.rank), next((buffers.rank + 1) % buffers.ranks),
          previous((buffers.rank + buffers.ranks - 1) % buffers.ranks),
          byte_(static_cast<char *>(buffers.acknowledgement)) {}

    template <class Mode, class Row> void send(const Row &row) const {
        Mode::send(*world, row, rank, payload_tag());
    }
    template <class Row> Row receive() const {
        Row row;
        world->recv(row, rank, payload_tag());
        return row;
    }
    void acknowledge() const { world->send(*byte_, rank, acknowledgement_tag()); }
    void await_acknowledgement() const { world->recv(*byte_, rank, acknowledgement_tag()); }
    void attach(char *memory, int bytes) const { mpl::environment::buffer_attach(memory, bytes); }
    void detach() const { mpl::environment::buffer_detach(); }

    const mpl::communicator *world;
    int rank;
    int next; /* in the ring of all ranks */
    int previous;

  private:
    char *byte_;
};

/* What messages of both kinds have. */
class WithRequests {
  public:
    static constexpr bool PERSISTENT = true;
    using Request = mpl::irequest;
    using Persistent = mpl::prequest;
    using Pool = mpl::irequest_pool;

    void wait_all(Pool &pool) const { pool.waitall(); }
};

/* This many elements, or one row of them that a layout describes, in the memory of the harness. */
template <class T, class Layout = mpl::contiguous_layout<T>> class Elements : public WithRequests {
  public:
    Elements(const mpl::communicator &world, const polympi_buffers &buffers, Layout made)
        : peer(world, buffers), layout(std::make_shared<const Layout>(std::move(made))),
          outgoing(static_cast<T *>(buffers.outgoing)), incoming(static_cast<T *>(buffers.incoming)),
          stride_(static_cast<std::size_t>(buffers.stride) / sizeof(T)) {}
    Elements(const mpl::communicator &world, const polympi_buffers &buffers)
        : Elements(world, buffers, Layout(static_cast<std::size_t>(buffers.count))) {}

    template <class Mode> void send(int slot) const {
        Mode::send(*peer.world, at(outgoing, slot), *layout, peer.rank, payload_tag());
    }
    template <class Mode> auto start(int slot) const {
        return Mode::start(*peer.world, at(outgoing, slot), *layout, peer.rank, payload_tag());
    }
    template <class Mode> auto init() const {
        return Mode::init(*peer.world, outgoing, *layout, peer.rank, payload_tag());
    }
    void receive(int slot) const { peer.world->recv(at(incoming, slot), *layout, peer.rank, payload_tag()); }
    auto post(int slot) const {
        return peer.world->irecv(at(incoming, slot), *layout, peer.rank, payload_tag());
    }
    auto receive_init() const { return peer.world->recv_init(incoming, *layout, peer.rank, payload_tag()); }
    void exchange() const {
        peer.world->sendrecv(outgoing, *layout, peer.rank, payload_tag(), incoming, *layout, peer.rank,
                             payload_tag());
    }
    template <class Mode> void start_in(Pool &pool, int slot) const { pool.push(start<Mode>(slot)); }
    void post_in(Pool &pool, int slot) const { pool.push(post(slot)); }
    void send_nothing() const {
        peer.world->send(outgoing, mpl::empty_layout<T>(), peer.rank, payload_tag());
    }

    /* Of the ring. */
    void pass(const T *message) const { peer.world->send(message, *layout, peer.next, payload_tag()); }
    void take() const { peer.world->recv(incoming, *layout, peer.previous, payload_tag()); }

    Peer peer;
    std::shared_ptr<const Layout> layout;
    T *outgoing;
    T *incoming;

  private:
    T *at(T *first, int slot) const { return first + static_cast<std::size_t>(slot) * stride_; }

    std::size_t stride_;
};

/* One value. */
template <class T> class Single : public WithRequests {
  public:
    Single(const mpl::communicator &world, const polympi_buffers &buffers)
        : peer(world, buffers), outgoing(static_cast<T *>(buffers.outgoing)),
          incoming(static_cast<T *>(buffers.incoming)) {}

    template <class Mode> void send(int) const {
        Mode::send(*peer.world, *outgoing, peer.rank, payload_tag());
    }
    template <class Mode> auto start(int) const {
        return Mode::start(*peer.world, *outgoing, peer.rank, payload_tag());
    }
    template <class Mode> auto init() const {
        return Mode::init(*peer.world, *outgoing, peer.rank, payload_tag());
    }
    void receive(int) const { peer.world->recv(*incoming, peer.rank, payload_tag()); }
    auto post(int) const { return peer.world->irecv(*incoming, peer.rank, payload_tag()); }
    auto receive_init() const { return peer.world->recv_init(*incoming, peer.rank, payload_tag()); }
    void exchange() const {
        peer.world->sendrecv(*outgoing, peer.rank, payload_tag(), *incoming, peer.rank, payload_tag());
    }
    template <class Mode> void start_in(Pool &pool, int slot) const { pool.push(start<Mode>(slot)); }
    void post_in(Pool &pool, int slot) const { pool.push(post(slot)); }
    void send_nothing() const {
        peer.world->send(outgoing, mpl::empty_layout<T>(), peer.rank, payload_tag());
    }

    /* Of the ring. */
    void pass(const T *message) const { peer.world->send(*message, peer.next, payload_tag()); }
    void take() const { peer.world->recv(*incoming, peer.previous, payload_tag()); }

    Peer peer;
    T *outgoing;
    T *incoming;
};

} // namespace bench

#endif
