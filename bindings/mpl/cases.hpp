/* What the program runs. */
#ifndef POLYMPI_MPL_CASES_HPP
#define POLYMPI_MPL_CASES_HPP

#include "polympi_harness.h"

#include <mpl/mpl.hpp>

namespace bench {

polympi_callbacks callbacks_of(const mpl::communicator &world, const polympi_case &c,
                               const polympi_buffers &buffers);

} // namespace bench

#endif
