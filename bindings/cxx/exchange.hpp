/* One case on one rank: its buffers, and what MPI has to know of them. */
#ifndef POLYMPI_CXX_EXCHANGE_HPP
#define POLYMPI_CXX_EXCHANGE_HPP

#include "loops.hpp"
#include "polympi_harness.h"

#include <cstddef>
#include <memory>
#include <mpi.h>

namespace bench {

struct Exchange {
    Exchange(const polympi_buffers &buffers, MPI_Datatype type, MPI_Request *requests)
        : type(type), count(static_cast<int>(buffers.count)), rank(buffers.rank), ranks(buffers.ranks),
          peer(1 - buffers.rank), window(buffers.window), stride(static_cast<std::size_t>(buffers.stride)),
          outgoing(static_cast<char *>(buffers.outgoing)), incoming(static_cast<char *>(buffers.incoming)),
          acknowledgement(static_cast<char *>(buffers.acknowledgement)), requests(requests),
          attached(buffers.attached), attached_bytes(static_cast<int>(buffers.attached_bytes)),
          edge(static_cast<int>(buffers.edge)) {}

    MPI_Datatype type; /* of the payload, or of a whole face */
    int count;         /* elements in one message */
    int rank;
    int ranks;
    int peer;   /* the other rank of a point-to-point benchmark */
    int window; /* messages in flight */
    std::size_t stride;
    char *outgoing; /* first slot of a window, or all pieces of a collective */
    char *incoming;
    char *acknowledgement;
    MPI_Request *requests; /* two windows */
    void *attached;        /* the buffer of the mode buffered */
    int attached_bytes;
    int edge; /* of the cube whose face travels, in elements */
};

inline void acknowledge(const Exchange &x) {
    MPI_Send(x.acknowledgement, 1, MPI_BYTE, x.peer, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD);
}

inline void await_acknowledgement(const Exchange &x) {
    MPI_Recv(x.acknowledgement, 1, MPI_BYTE, x.peer, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* What a case in the mode buffered needs while it runs: memory for its messages. In other modes nothing. */
class Attached : public Case {
  public:
    Attached(const polympi_case &c, const Exchange &x)
        : buffered_(c.send_mode == POLYMPI_BUFFERED), memory_(x.attached), bytes_(x.attached_bytes) {}

    void begin() override {
        if (buffered_)
            MPI_Buffer_attach(memory_, bytes_);
    }

    void end() override {
        if (buffered_) {
            void *buffer;
            int bytes;
            MPI_Buffer_detach(&buffer, &bytes);
        }
    }

  private:
    bool buffered_;
    void *memory_;
    int bytes_;
};

/* The callbacks of each kind of benchmark. */
polympi_callbacks latency(const polympi_case &c, const Exchange &x);
polympi_callbacks ping_pong(std::unique_ptr<Case> owner, const Exchange &x); /* in the mode standard */
/* Likewise for what a datatype that was not committed yet describes. */
polympi_callbacks typed_ping_pong(MPI_Datatype made, int count, Exchange x);
polympi_callbacks windows(const polympi_case &c, const Exchange &x);
polympi_callbacks faces(const polympi_case &c, const Exchange &x);
polympi_callbacks layouts(const polympi_case &c, const Exchange &x);
polympi_callbacks objects(const polympi_case &c, const Exchange &x);
polympi_callbacks ring(const Exchange &x);
polympi_callbacks collectives(const polympi_case &c, const Exchange &x);

/* Likewise for vectors whose receiver does not know how long they are. */
polympi_callbacks vectors_of_two(const polympi_case &c, const Exchange &x);
polympi_callbacks vectors_of_all(const polympi_case &c, const Exchange &x);

} // namespace bench

#endif
