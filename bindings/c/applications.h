/* The applications, which are among the examples, as cases of a plan. */
#ifndef POLYMPI_C_APPLICATIONS_H
#define POLYMPI_C_APPLICATIONS_H

#include "polympi_harness.h"

/* Whether a case is an application. */
int application_is_asked_for(const struct polympi_case *c);

/* The benchmarks that are applications, as struct polympi_launch takes them. */
int64_t applications_opt_in(void);

/* Makes the program of a case; ends all ranks where one has no memory for it. */
void application_prepare(const struct polympi_case *c, const struct polympi_buffers *buffers,
                         struct polympi_callbacks *callbacks);

#endif
