/* What a case sends by KaMPIng: elements in the memory of the harness, or a single value. */
#ifndef POLYMPI_KAMPING_MESSAGES_HPP
#define POLYMPI_KAMPING_MESSAGES_HPP

#include "pairs.hpp"
#include "polympi_harness.h"

#include <cstddef>
#include <kamping/collectives/allgather.hpp>
#include <kamping/collectives/allreduce.hpp>
#include <kamping/collectives/alltoall.hpp>
#include <kamping/collectives/barrier.hpp>
#include <kamping/collectives/bcast.hpp>
#include <kamping/collectives/gather.hpp>
#include <kamping/collectives/reduce.hpp>
#include <kamping/collectives/scatter.hpp>
#include <kamping/communicator.hpp>
#include <kamping/environment.hpp>
#include <kamping/p2p/irecv.hpp>
#include <kamping/p2p/isend.hpp>
#include <kamping/p2p/recv.hpp>
#include <kamping/p2p/send.hpp>
#include <kamping/p2p/sendrecv.hpp>
#include <kamping/request_pool.hpp>
#include <kamping/span.hpp>
#include <utility>
#include <vector>

namespace bench {

using namespace kamping; /* the named parameters */

inline auto payload_tag() { return tag(int{POLYMPI_PAYLOAD_TAG}); }

/* Send modes. */
struct Standard {
    static constexpr bool READY = false;
    static auto parameter() { return send_mode(send_modes::standard); }
};
struct Synchronous {
    static constexpr bool READY = false;
    static auto parameter() { return send_mode(send_modes::synchronous); }
};
struct Buffered {
    static constexpr bool READY = false;
    static auto parameter() { return send_mode(send_modes::buffered); }
};
struct Ready {
    static constexpr bool READY = true;
    static auto parameter() { return send_mode(send_modes::ready); }
};

/* The other rank of a point-to-point benchmark. */
class Peer {
  public:
    Peer(const Communicator<> &world, const polympi_buffers &buffers)
        : world(&world), rank(1 - buffers.rank), next((buffers.rank + 1) % buffers.ranks),
          previous((buffers.rank + buffers.ranks - 1) % buffers.ranks),
          byte_(static_cast<char *>(buffers.acknowledgement)) {}

    /* A container whose receiver does not know its length. */
    template <class Mode, class Row> void send(const Row &row) const {
        world->send(send_buf(row), destination(rank), payload_tag(), Mode::parameter());
    }
    template <class Row> Row receive() const {
        Row row;
        world->recv(recv_buf<BufferResizePolicy::resize_to_fit>(row), source(rank), payload_tag());
        return row;
    }
    void acknowledge() const {
        world->send(send_buf(*byte_), destination(rank), tag(int{POLYMPI_ACKNOWLEDGEMENT_TAG}));
    }
    void await_acknowledgement() const {
        world->recv(recv_buf(*byte_), recv_count(1), source(rank), tag(int{POLYMPI_ACKNOWLEDGEMENT_TAG}));
    }
    void attach(char *memory, int bytes) const {
        environment_.buffer_attach(Span<char>(memory, static_cast<std::size_t>(bytes)));
    }
    void detach() const { environment_.buffer_detach<char>(); }

    const Communicator<> *world;
    int rank;
    int next; /* in the ring of all ranks */
    int previous;

  private:
    static inline Environment<InitMPIMode::NoInitFinalize> environment_;
    char *byte_;
};

/* This many elements in a given buffer. */
template <class T> class Elements {
  public:
    static constexpr bool PERSISTENT = false;
    struct Persistent {};
    using Pool = RequestPool<>;

    Elements(const Communicator<> &world, const polympi_buffers &buffers)
        : peer(world, buffers), count(static_cast<int>(buffers.count)),
          outgoing(static_cast<T *>(buffers.outgoing)), incoming(static_cast<T *>(buffers.incoming)),
          stride_(static_cast<std::size_t>(buffers.stride) / sizeof(T)) {}

    /* A message, or all pieces of a collective. */
    auto row(T *first, int pieces = 1) const {
        return Span<T>(first, static_cast<std::size_t>(count) * static_cast<std::size_t>(pieces));
    }

    template <class Mode> void send(int slot) const {
        peer.world->send(send_buf(row(at(outgoing, slot))), destination(peer.rank), payload_tag(),
                         Mode::parameter());
    }
    template <class Mode> auto start(int slot) const {
        return peer.world->isend(send_buf(row(at(outgoing, slot))), destination(peer.rank), payload_tag(),
                                 Mode::parameter());
    }
    template <class Mode> void start_in(Pool &pool, int slot) const {
        peer.world->isend(send_buf(row(at(outgoing, slot))), destination(peer.rank), payload_tag(),
                          Mode::parameter(), request(pool.get_request()));
    }
    void receive(int slot) const {
        peer.world->recv(recv_buf(row(at(incoming, slot))), recv_count(count), source(peer.rank),
                         payload_tag());
    }
    auto post(int slot) const {
        return peer.world->irecv(recv_buf(row(at(incoming, slot))), recv_count(count), source(peer.rank),
                                 payload_tag());
    }
    void post_in(Pool &pool, int slot) const {
        peer.world->irecv(recv_buf(row(at(incoming, slot))), recv_count(count), source(peer.rank),
                          payload_tag(), request(pool.get_request()));
    }
    void wait_all(Pool &pool) const { pool.wait_all(); }
    void exchange() const {
        peer.world->sendrecv(send_buf(row(outgoing)), destination(peer.rank),
                             send_tag(int{POLYMPI_PAYLOAD_TAG}), recv_buf(row(incoming)), recv_count(count),
                             source(peer.rank), recv_tag(int{POLYMPI_PAYLOAD_TAG}));
    }
    void send_nothing() const {
        peer.world->send(send_buf(Span<T>()), destination(peer.rank), payload_tag());
    }

    /* Of the ring. */
    void pass(T *message) const {
        peer.world->send(send_buf(row(message)), destination(peer.next), payload_tag());
    }
    void take() const {
        peer.world->recv(recv_buf(row(incoming)), recv_count(count), source(peer.previous), payload_tag());
    }

    Peer peer;
    int count;
    T *outgoing;
    T *incoming;

  private:
    T *at(T *first, int slot) const { return first + static_cast<std::size_t>(slot) * stride_; }

    std::size_t stride_;

  public:
    using Request = decltype(std::declval<const Elements &>().post(0));
};

} // namespace bench

#endif
