/* One collective call in each iteration, root 0. */
#ifndef POLYMPI_MPL_COLLECTIVES_HPP
#define POLYMPI_MPL_COLLECTIVES_HPP

#include "loops.hpp"
#include "messages.hpp"

namespace bench {

template <class T>
polympi_callbacks collectives(const polympi_case &c, const polympi_buffers &buffers, const Elements<T> &m) {
    const mpl::communicator &world = *m.peer.world;
    const int rank = buffers.rank;
    auto owner = std::make_unique<Case>();
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(std::move(owner), [&world, m] { world.bcast(0, m.incoming, *m.layout); });
    case POLYMPI_GATHER:
        return together(
            rank, std::move(owner),
            [&world, m] { world.gather(0, m.outgoing, *m.layout, m.incoming, *m.layout); },
            [&world, m] { world.gather(0, m.outgoing, *m.layout); });
    case POLYMPI_SCATTER:
        return together(
            rank, std::move(owner),
            [&world, m] { world.scatter(0, m.outgoing, *m.layout, m.incoming, *m.layout); },
            [&world, m] { world.scatter(0, m.incoming, *m.layout); });
    case POLYMPI_ALLGATHER:
        return together(std::move(owner),
                        [&world, m] { world.allgather(m.outgoing, *m.layout, m.incoming, *m.layout); });
    default:
        return together(std::move(owner),
                        [&world, m] { world.alltoall(m.outgoing, *m.layout, m.incoming, *m.layout); });
    }
}

template <class T>
polympi_callbacks collectives(const polympi_case &c, const polympi_buffers &buffers, const Single<T> &m) {
    const mpl::communicator &world = *m.peer.world;
    const int rank = buffers.rank;
    auto owner = std::make_unique<Case>();
    switch (c.benchmark) {
    case POLYMPI_BCAST:
        return together(std::move(owner), [&world, m] { world.bcast(0, *m.incoming); });
    case POLYMPI_GATHER:
        return together(
            rank, std::move(owner), [&world, m] { world.gather(0, *m.outgoing, m.incoming); },
            [&world, m] { world.gather(0, *m.outgoing); });
    case POLYMPI_SCATTER:
        return together(
            rank, std::move(owner), [&world, m] { world.scatter(0, m.outgoing, *m.incoming); },
            [&world, m] { world.scatter(0, *m.incoming); });
    case POLYMPI_ALLGATHER:
        return together(std::move(owner), [&world, m] { world.allgather(*m.outgoing, m.incoming); });
    default:
        return together(std::move(owner), [&world, m] { world.alltoall(m.outgoing, m.incoming); });
    }
}

inline polympi_callbacks reductions(const polympi_case &c, const polympi_buffers &buffers,
                                    const Elements<double> &m) {
    const mpl::communicator &world = *m.peer.world;
    auto owner = std::make_unique<Case>();
    if (c.benchmark == POLYMPI_ALLREDUCE)
        return together(std::move(owner), [&world, m] {
            world.allreduce(mpl::plus<double>(), m.outgoing, m.incoming, *m.layout);
        });
    return together(
        buffers.rank, std::move(owner),
        [&world, m] { world.reduce(mpl::plus<double>(), 0, m.outgoing, m.incoming, *m.layout); },
        [&world, m] {
            world.reduce(mpl::plus<double>(), 0, static_cast<const double *>(m.outgoing), *m.layout);
        });
}

inline polympi_callbacks reductions(const polympi_case &c, const polympi_buffers &buffers,
                                    const Single<double> &m) {
    const mpl::communicator &world = *m.peer.world;
    auto owner = std::make_unique<Case>();
    if (c.benchmark == POLYMPI_ALLREDUCE)
        return together(std::move(owner),
                        [&world, m] { world.allreduce(mpl::plus<double>(), *m.outgoing, *m.incoming); });
    return together(
        buffers.rank, std::move(owner),
        [&world, m] { world.reduce(mpl::plus<double>(), 0, *m.outgoing, *m.incoming); },
        [&world, m] { world.reduce(mpl::plus<double>(), 0, static_cast<const double &>(*m.outgoing)); });
}

} // namespace bench

#endif
