# What solvers have in common: how ranks divide their work, agree, and read the clock.

library(Rmpi) # starts MPI

world <- 0L # Rmpi's number of MPI_COMM_WORLD

# The type of messages in Rmpi's functions. A double is the only type of R that holds fractions.
int_type <- 1L
double_type <- 2L

# How many elements of an axis a part has, and how many are before it. Of those left over, the first parts get one more.
divided <- function(length, parts, place) {
  each <- length %/% parts
  more <- length %% parts
  list(count = each + (place < more), offset = each * place + min(place, more))
}

# Whether something is so on all ranks. All of them call it.
everywhere <- function(here) mpi.allreduce(as.integer(here), int_type, "min", world) == 1L

# Whether R has the memory to evaluate an expression, on all ranks. All of them call it.
fits_everywhere <- function(expression) {
  everywhere(tryCatch({
    force(expression)
    TRUE
  }, error = function(e) FALSE))
}

# An error that all ranks have found: one of them can say it.
refuse <- function(...) stop(errorCondition(paste0(...), class = "refused"))

# Nanoseconds of the clock of the day, which is the finest that R has.
now_ns <- function() 1e9 * as.numeric(Sys.time())
