/* The calls of each send mode, as types, so that a loop of a mode calls them directly. */
#ifndef POLYMPI_CXX_SEND_MODES_HPP
#define POLYMPI_CXX_SEND_MODES_HPP

#include <mpi.h>

namespace bench {

struct Standard {
    static constexpr auto send = MPI_Send;
    static constexpr auto start = MPI_Isend;
    static constexpr auto init = MPI_Send_init;
};

struct Synchronous {
    static constexpr auto send = MPI_Ssend;
    static constexpr auto start = MPI_Issend;
    static constexpr auto init = MPI_Ssend_init;
};

struct Buffered {
    static constexpr auto send = MPI_Bsend;
    static constexpr auto start = MPI_Ibsend;
    static constexpr auto init = MPI_Bsend_init;
};

struct Ready {
    static constexpr auto send = MPI_Rsend;
    static constexpr auto start = MPI_Irsend;
    static constexpr auto init = MPI_Rsend_init;
};

} // namespace bench

#endif
