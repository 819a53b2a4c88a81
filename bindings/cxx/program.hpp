/* What programs in C++ share around their loops: the command line, and the launch after MPI has started.

       mpiexec -n RANKS bench PLAN SAMPLES WAY [--name NAME]                                              */
#ifndef POLYMPI_CXX_PROGRAM_HPP
#define POLYMPI_CXX_PROGRAM_HPP

#include "polympi_harness.h"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Arguments {
    /* `ways` are what the third word may be. */
    Arguments(int argc, char **argv, const std::vector<std::string> &ways);

    std::string plan;
    std::string samples;
    std::string way;
    std::string name; /* of the binding; that of the way where none is given */
    std::string complaint;
};

/* Passes the first barrier and runs the plan; MPI was started from `began` to `started`, and `opted_in` is as
   in polympi_launch. Returns the exit code. */
std::int32_t run(const Arguments &arguments, std::int64_t began, std::int64_t started,
                 const polympi_program &program, std::int64_t opted_in = 0);

} // namespace bench

#endif
