/* What a case has in common whatever it sends. */
#ifndef POLYMPI_BOOST_MESSAGES_HPP
#define POLYMPI_BOOST_MESSAGES_HPP

#include "loops.hpp"
#include "polympi_harness.h"

#include <boost/mpi.hpp>
#include <vector>

namespace bench {

namespace mpi = boost::mpi;

constexpr int TAG = POLYMPI_PAYLOAD_TAG;

/* The requests of two windows. */
class Requests : public Case {
  public:
    explicit Requests(const polympi_buffers &buffers)
        : requests(2 * static_cast<std::size_t>(buffers.window)) {}

    std::vector<mpi::request> requests;
};

/* The other rank of a point-to-point benchmark. */
class Peer {
  public:
    Peer(const mpi::communicator &world, const polympi_buffers &buffers)
        : world(&world), rank(1 - buffers.rank), byte_(static_cast<char *>(buffers.acknowledgement)) {}

    void acknowledge() const { world->send(rank, POLYMPI_ACKNOWLEDGEMENT_TAG, *byte_); }
    void await_acknowledgement() const { world->recv(rank, POLYMPI_ACKNOWLEDGEMENT_TAG, *byte_); }

    const mpi::communicator *world;
    int rank;

  private:
    char *byte_;
};

/* The callbacks of each binding. */
polympi_callbacks fundamental(const mpi::communicator &world, const polympi_case &c,
                              const polympi_buffers &buffers);
polympi_callbacks datatype(const mpi::communicator &world, const polympi_case &c,
                           const polympi_buffers &buffers);
polympi_callbacks serialized(const mpi::communicator &world, const polympi_case &c,
                             const polympi_buffers &buffers);

polympi_callbacks faces(const mpi::communicator &world, const polympi_case &c,
                        const polympi_buffers &buffers);
polympi_callbacks layouts(const mpi::communicator &world, const polympi_case &c,
                          const polympi_buffers &buffers);

} // namespace bench

#endif
