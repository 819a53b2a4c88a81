/* The callbacks of a case for messages of a type. */
#ifndef POLYMPI_BOOST_OF_TYPE_HPP
#define POLYMPI_BOOST_OF_TYPE_HPP

#include "elements.hpp"
#include "objects.hpp"
#include "pairs.hpp"
#include "ring.hpp"

namespace bench {

inline bool is_reduction(const polympi_case &c) {
    return c.benchmark == POLYMPI_REDUCE || c.benchmark == POLYMPI_ALLREDUCE;
}

template <class T>
polympi_callbacks of_elements(const mpi::communicator &world, const polympi_case &c,
                              const polympi_buffers &buffers) {
    const Elements<T> m(world, buffers);
    if (c.kind == POLYMPI_CYCLE)
        return ring(buffers, m);
    return c.kind == POLYMPI_PAIR ? pairs(c, buffers, std::make_unique<Requests>(buffers), m)
                                  : collectives(c, buffers, m);
}

template <class T>
polympi_callbacks of_objects(const mpi::communicator &world, const polympi_case &c,
                             const polympi_buffers &buffers) {
    auto owner = std::make_unique<OwnedObjects<T>>(buffers);
    const Objects<T> m(world, buffers, *owner);
    if (c.kind == POLYMPI_CYCLE)
        return ring(buffers, std::move(owner), m);
    return c.kind == POLYMPI_PAIR ? pairs(c, buffers, std::move(owner), m)
                                  : collectives(c, buffers, std::move(owner), m);
}

/* Of a type that participates in no collective. */
template <class T>
polympi_callbacks pairs_of_objects(const mpi::communicator &world, const polympi_case &c,
                                   const polympi_buffers &buffers) {
    auto owner = std::make_unique<OwnedObjects<T>>(buffers);
    const Objects<T> m(world, buffers, *owner);
    return pairs(c, buffers, std::move(owner), m);
}

template <class T, class Operation>
polympi_callbacks reductions_of_objects(const mpi::communicator &world, const polympi_case &c,
                                        const polympi_buffers &buffers, Operation plus) {
    auto owner = std::make_unique<OwnedObjects<T>>(buffers);
    const Objects<T> m(world, buffers, *owner);
    return reductions(c, buffers, std::move(owner), m, plus);
}

} // namespace bench

#endif
