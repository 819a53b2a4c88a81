/* One collective call in each iteration, root 0: into a given buffer, or with a vector that is returned. */
#ifndef POLYMPI_KAMPING_COLLECTIVES_HPP
#define POLYMPI_KAMPING_COLLECTIVES_HPP

#include "messages.hpp"
#include "rows.hpp"

#include <functional>

namespace bench {

template <class T>
polympi_callbacks collectives(const polympi_case &c, const polympi_buffers &buffers, const Elements<T> &m) {
    const Communicator<> &world = *m.peer.world;
    const int ranks = buffers.ranks;
    auto owner = std::make_unique<Case>();
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(std::move(owner), [&world, m] {
            world.bcast(send_recv_buf(m.row(m.incoming)), send_recv_count(m.count));
        });
    case POLYMPI_GATHER:
        return together(
            buffers.rank, std::move(owner),
            [&world, m, ranks] {
                world.gather(send_buf(m.row(m.outgoing)), recv_buf(m.row(m.incoming, ranks)),
                             recv_count(m.count));
            },
            [&world, m] {
                world.gather(send_buf(m.row(m.outgoing)), recv_buf(Span<T>()), recv_count(m.count));
            });
    case POLYMPI_SCATTER:
        return together(
            buffers.rank, std::move(owner),
            [&world, m, ranks] {
                world.scatter(send_buf(m.row(m.outgoing, ranks)), send_count(m.count),
                              recv_buf(m.row(m.incoming)), recv_count(m.count));
            },
            [&world, m] { world.scatter(recv_buf(m.row(m.incoming)), recv_count(m.count)); });
    case POLYMPI_ALLGATHER:
        return together(std::move(owner), [&world, m, ranks] {
            world.allgather(send_buf(m.row(m.outgoing)), recv_buf(m.row(m.incoming, ranks)));
        });
    default:
        return together(std::move(owner), [&world, m, ranks] {
            world.alltoall(send_buf(m.row(m.outgoing, ranks)), recv_buf(m.row(m.incoming, ranks)));
        });
    }
}

inline polympi_callbacks reductions(const polympi_case &c, const polympi_buffers &buffers,
                                    const Elements<double> &m) {
    const Communicator<> &world = *m.peer.world;
    auto owner = std::make_unique<Case>();
    if (c.benchmark == POLYMPI_ALLREDUCE)
        return together(std::move(owner), [&world, m] {
            world.allreduce(send_buf(m.row(m.outgoing)), recv_buf(m.row(m.incoming)), op(std::plus<>()));
        });
    return together(
        buffers.rank, std::move(owner),
        [&world, m] {
            world.reduce(send_buf(m.row(m.outgoing)), recv_buf(m.row(m.incoming)), op(std::plus<>()));
        },
        [&world, m] {
            world.reduce(send_buf(m.row(m.outgoing)), recv_buf(Span<double>()), op(std::plus<>()));
        });
}

using Doubles = std::vector<double>;

/* Vectors that a collective returns, whose lengths its receivers do not know. */
class Returned final : public Case {
  public:
    Returned(const polympi_buffers &buffers, int pieces)
        : counts(static_cast<std::size_t>(buffers.ranks), static_cast<int>(buffers.count)),
          incoming_(buffers.incoming), length_(static_cast<std::size_t>(buffers.count * pieces)) {}

    void begin() override { received = Doubles(); }
    void show() override {
        if (received.size() == length_)
            std::memcpy(incoming_, received.data(), length_ * sizeof(double));
    }

    const std::vector<int> counts; /* of what a rank sends to each */
    Doubles received;

  private:
    void *incoming_;
    std::size_t length_;
};

inline polympi_callbacks vectors_of_all(const polympi_case &c, const polympi_buffers &buffers,
                                        const Elements<double> &m) {
    const Communicator<> &world = *m.peer.world;
    const int rank = buffers.rank, ranks = buffers.ranks;
    const bool of_all =
        c.benchmark == POLYMPI_GATHER || c.benchmark == POLYMPI_ALLGATHER || c.benchmark == POLYMPI_ALLTOALL;
    auto owner = std::make_unique<Returned>(buffers, of_all ? ranks : 1);
    Doubles *received = &owner->received;
    const std::vector<int> *counts = &owner->counts;
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(
            rank, std::move(owner), [&world, m] { world.bcast(send_recv_buf(m.row(m.outgoing))); },
            [&world, received] { *received = world.bcast<double>(); });
    case POLYMPI_REDUCE:
        return together(
            rank, std::move(owner),
            [&world, m, received] {
                *received = world.reduce(send_buf(m.row(m.outgoing)), op(std::plus<>()));
            },
            [&world, m] { world.reduce(send_buf(m.row(m.outgoing)), op(std::plus<>())); });
    case POLYMPI_ALLREDUCE:
        return together(std::move(owner), [&world, m, received] {
            *received = world.allreduce(send_buf(m.row(m.outgoing)), op(std::plus<>()));
        });
    case POLYMPI_GATHER:
        return together(
            rank, std::move(owner),
            [&world, m, received] { *received = world.gatherv(send_buf(m.row(m.outgoing))); },
            [&world, m] { world.gatherv(send_buf(m.row(m.outgoing))); });
    case POLYMPI_SCATTER:
        return together(
            rank, std::move(owner),
            [&world, m, received, counts, ranks] {
                *received = world.scatterv(send_buf(m.row(m.outgoing, ranks)), send_counts(*counts));
            },
            [&world, received] { *received = world.scatterv<double>(); });
    case POLYMPI_ALLGATHER:
        return together(std::move(owner),
                        [&world, m, received] { *received = world.allgatherv(send_buf(m.row(m.outgoing))); });
    default:
        return together(std::move(owner), [&world, m, received, counts, ranks] {
            *received = world.alltoallv(send_buf(m.row(m.outgoing, ranks)), send_counts(*counts));
        });
    }
}

} // namespace bench

#endif
