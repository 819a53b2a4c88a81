# The inner product in R: mpiexec -n 2 Rscript inner_product_main.R [--length ELEMENTS] [--iterations NUMBER]

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in c("ranks.R", "options.R", "inner_product.R")) source(file.path(folder, file))

# Computes, and says how long it took and how exact it is. Gives the exit code.
program <- function(chosen) {
  s <- inner_product_create(chosen$length)
  inner_product_advance(s, 1) # finds the vectors in the cache, as later ones do
  before <- s$communication_ns
  mpi.barrier(world)
  begun <- now_ns()
  inner_product_advance(s, chosen$iterations)
  times <- mpi.allreduce(1e-9 * c(now_ns() - begun, s$communication_ns - before), double_type, "max", world)
  exact <- 6 * (chosen$length %/% 3) + c(0, 1, 3)[chosen$length %% 3 + 1]
  # What is added up in another order differs in its last digits. Only rank 0 has the value.
  error <- mpi.bcast(abs(s$value / exact - 1), double_type, 0L, world)
  say("%s elements, %s times, %s", whole(chosen$length), whole(chosen$iterations), number_of_ranks())
  say(
    "%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions", times[1],
    1e-6 * chosen$length * chosen$iterations / times[1], 100 * times[2] / times[1]
  )
  say("inner product: %.17g, relative error %.1e", s$value, error)
  right <- isTRUE(error <= 1e-12)
  if (!right) say("The result is wrong.", to = stderr())
  if (right) 0L else 1L
}

main("inner_product_main.R [--length ELEMENTS] [--iterations NUMBER]", list(length = 2^18, iterations = 100), program)
