/* The programs of examples/applications as cases. */
#ifndef POLYMPI_CXX_APPLICATIONS_HPP
#define POLYMPI_CXX_APPLICATIONS_HPP

#include "polympi_harness.h"

#include <cstdint>

namespace bench {

/* A bit for each benchmark that `application` has a solver for. */
constexpr std::int64_t applications_opted_in =
    POLYMPI_OPT_IN(POLYMPI_WAVE) | POLYMPI_OPT_IN(POLYMPI_INNER_PRODUCT);

polympi_callbacks application(const polympi_case &c, const polympi_buffers &buffers);

} // namespace bench

#endif
