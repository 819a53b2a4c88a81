/* What the program runs. */
#ifndef POLYMPI_KAMPING_CASES_HPP
#define POLYMPI_KAMPING_CASES_HPP

#include "polympi_harness.h"

#include <kamping/communicator.hpp>

namespace bench {

polympi_callbacks callbacks_of(const kamping::Communicator<> &world, const polympi_case &c,
                               const polympi_buffers &buffers);

} // namespace bench

#endif
