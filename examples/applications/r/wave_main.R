# The wave equation in R: mpiexec -n 2 Rscript wave_main.R [--mesh POINTS] [--steps NUMBER] [--overlapped]

folder <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in c("ranks.R", "options.R", "wave.R")) source(file.path(folder, file))

# The largest differences of this rank's part from the closed form of the scheme and from the wave itself.
errors_here <- function(w, steps) {
  h <- 1 / (w$edge - 1)
  part <- wave_part(w)
  cosines <- Map(function(offset, n) cos(pi * (offset + seq_len(n) - 1) * h), part$offset, dim(part$values))
  shape <- 2 * outer(outer(cosines[[1]], cosines[[2]]), cosines[[3]])
  scheme <- cos(steps * acos(1 + 3 * w$a * (cos(pi * h) - 1)))
  exact <- cos(sqrt(3) * pi * steps * wave_time_step(w$edge))
  c(max(abs(part$values - shape * scheme)), max(abs(part$values - shape * exact)))
}

# Makes the steps, and says how long they took and how exact they are. Gives the exit code.
program <- function(chosen) {
  w <- wave_create(chosen$mesh, chosen$overlapped)
  steps <- if (chosen$steps > 0) chosen$steps else ceiling(2 / wave_time_step(chosen$mesh))
  mpi.barrier(world)
  begun <- now_ns()
  wave_advance(w, steps)
  times <- mpi.allreduce(1e-9 * c(now_ns() - begun, w$communication_ns), double_type, "max", world)
  errors <- mpi.allreduce(errors_here(w, steps), double_type, "max", world)
  wave_free(w)
  say(
    "%s^3 points, %s steps, %s, %s", whole(chosen$mesh), whole(steps), number_of_ranks(),
    if (chosen$overlapped) "overlapped" else "blocking"
  )
  say(
    "%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange", times[1],
    1e-6 * chosen$mesh^3 * steps / times[1], 100 * times[2] / times[1]
  )
  say(
    "largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave", errors[1],
    errors[2], errors[2] * (chosen$mesh - 1)^2
  )
  right <- isTRUE(errors[1] < 1e-11)
  if (!right) say("The result is wrong.", to = stderr())
  if (right) 0L else 1L
}

# No steps: up to the time 2.
main(
  "wave_main.R [--mesh POINTS] [--steps NUMBER] [--overlapped]",
  list(mesh = 129, steps = 0, overlapped = FALSE), program
)
