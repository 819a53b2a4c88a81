/* Containers between two ranks whose receiver learns from the message how long they are. A class `Peer` sends
   one in a mode and receives one. `a` and ping are rank 0, `b` and pong rank 1. */
#ifndef POLYMPI_CXX_ROWS_HPP
#define POLYMPI_CXX_ROWS_HPP

#include "pairs.hpp"
#include "placed.hpp"

#include <cstring>
#include <vector>

namespace bench {

template <class Row> Row row_at(void *slot, std::int64_t count) {
    const auto *first = static_cast<const typename Row::value_type *>(slot);
    return Row(first, first + count);
}

template <> inline Vector row_at<Vector>(void *slot, std::int64_t count) {
    return vector_at(static_cast<double *>(slot), static_cast<std::size_t>(count));
}

/* The containers that are sent and those that arrived. One of the wrong length is not shown, and what the
   check finds is no message. */
template <class Row, class Peer> class Rows final : public Attached<Peer> {
  public:
    Rows(const polympi_case &c, const polympi_buffers &buffers, const Peer &peer)
        : Attached<Peer>(c, buffers, peer), received(static_cast<std::size_t>(buffers.incoming_messages)),
          incoming_(static_cast<char *>(buffers.incoming)), stride_(buffers.stride), count_(buffers.count) {
        for (int i = 0; i < buffers.outgoing_messages; i++)
            sent.push_back(row_at<Row>(static_cast<char *>(buffers.outgoing) + i * stride_, count_));
    }

    void begin() override {
        for (Row &row : received)
            row = Row();
        Attached<Peer>::begin();
    }

    void show() override {
        char *slot = incoming_;
        for (const Row &row : received) {
            if (static_cast<std::int64_t>(row.size()) == count_)
                std::memcpy(slot, row.data(), row.size() * sizeof(*row.data()));
            slot += stride_;
        }
    }

    std::vector<Row> sent;
    std::vector<Row> received;

  private:
    char *incoming_;
    std::int64_t stride_;
    std::int64_t count_;
};

template <class Mode, class Row, class Peer>
polympi_callbacks rows_in_mode(const polympi_case &c, const polympi_buffers &buffers, const Peer &peer) {
    auto owner = std::make_unique<Rows<Row, Peer>>(c, buffers, peer);
    const Row *sent = owner->sent.data();
    Row *received = owner->received.data();
    if (c.benchmark != POLYMPI_STREAM)
        return ping_pong(
            buffers.rank, std::move(owner), [peer, sent] { peer.template send<Mode>(*sent); },
            [peer, received] { *received = peer.template receive<Row>(); });
    const int window = buffers.window;
    const auto a = [peer, sent, window] {
        for (int i = 0; i < window; i++)
            peer.template send<Mode>(sent[i]);
        peer.await_acknowledgement();
    };
    const auto b = [peer, received, window] {
        for (int i = 0; i < window; i++)
            received[i] = peer.template receive<Row>();
        peer.acknowledge();
    };
    return pair(buffers.rank, std::move(owner), a, b);
}

template <class Row, class Peer>
polympi_callbacks rows(const polympi_case &c, const polympi_buffers &buffers, const Peer &peer) {
    switch (c.send_mode) {
    case POLYMPI_SYNCHRONOUS:
        return rows_in_mode<Synchronous, Row>(c, buffers, peer);
    case POLYMPI_BUFFERED:
        return rows_in_mode<Buffered, Row>(c, buffers, peer);
    default:
        return rows_in_mode<Standard, Row>(c, buffers, peer);
    }
}

} // namespace bench

#endif
