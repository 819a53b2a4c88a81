/* The way from the harness, which calls functions of C, to those of Go. */
#ifndef POLYMPI_GO_GLUE_H
#define POLYMPI_GO_GLUE_H

#include "polympi_harness.h"

int32_t glue_run(const struct polympi_launch *launch);

#endif
