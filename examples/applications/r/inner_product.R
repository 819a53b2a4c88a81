# The inner product of two vectors: x_i = 1 / (i + 1), y_i = (i + 1) (1 + i mod 3), i = 0, 1, ... Each term is
# 1 + i mod 3, so the sum is known. Each rank takes the inner product of its parts; a reduction adds these up on rank 0.
#
# It takes ranks.R. All ranks call each function.

# Vectors of this many elements, divided among the ranks. An error on all ranks where one has no memory.
inner_product_create <- function(length) {
  s <- new.env()
  ranks <- mpi.comm.size(world)
  if (length / ranks > .Machine$integer.max) {
    refuse("A rank has more elements of a vector than BLAS counts.")
  }
  mine <- divided(length, ranks, mpi.comm.rank(world))
  fits <- fits_everywhere({
    i <- mine$offset + seq_len(mine$count)
    s$x <- 1 / i
    s$y <- i * (1 + (i - 1) %% 3)
  })
  if (!fits) {
    refuse("A rank has no memory for its part of the vectors.")
  }
  s$communication_ns <- 0
  inner_product_restart(s)
  s
}

# Forgets the result.
inner_product_restart <- function(s) s$value <- 0

# Takes the inner product this many times.
inner_product_advance <- function(s, iterations) {
  root <- mpi.comm.rank(world) == 0L
  for (iteration in seq_len(iterations)) {
    mine <- as.double(crossprod(s$x, s$y))
    begun <- now_ns()
    sum <- mpi.reduce(mine, double_type, "sum", 0L, world)
    s$communication_ns <- s$communication_ns + (now_ns() - begun)
    if (root) s$value <- sum
  }
}

# The inner product, on rank 0, and nothing on the others.
inner_product_part <- function(s) {
  here <- if (mpi.comm.rank(world) == 0L) s$value else numeric()
  list(values = array(here, length(here)), offset = 0)
}
