/* What Boost.MPI calls the content of an object: the places of its data in memory become an MPI datatype
   once, and the object then travels without being copied by the program. */
#ifndef POLYMPI_BOOST_CONTENTS_HPP
#define POLYMPI_BOOST_CONTENTS_HPP

#include "messages.hpp"

#include <boost/serialization/array_wrapper.hpp>

namespace bench {

class Contents final : public Case {
  public:
    template <class Object>
    Contents(const Object &sent, const Object &received)
        : outgoing(mpi::get_content(sent)), incoming(mpi::get_content(received)) {}

    const mpi::content outgoing;
    const mpi::content incoming;
};

/* A ping-pong of the contents of two objects. */
template <class Object>
polympi_callbacks contents(const mpi::communicator &world, int rank, const Object &sent,
                           const Object &received) {
    auto owner = std::make_unique<Contents>(sent, received);
    const mpi::content *outgoing = &owner->outgoing, *incoming = &owner->incoming;
    const int peer = 1 - rank;
    const auto ping = [&world, peer, outgoing, incoming] {
        world.send(peer, TAG, *outgoing);
        world.recv(peer, TAG, *incoming);
    };
    const auto pong = [&world, peer, outgoing, incoming] {
        world.recv(peer, TAG, *incoming);
        world.send(peer, TAG, *outgoing);
    };
    return pair(rank, std::move(owner), ping, pong);
}

} // namespace bench

#endif
