# The benchmark program of Rmpi: the start. Its loops are in cases.R, and all else is the harness's.
#
#     mpiexec -n RANKS bench buffers|objects PLAN SAMPLES [--name NAME]

given <- commandArgs(trailingOnly = TRUE)
folder <- given[[1]]
way <- given[[2]]
given <- given[-(1:2)]

dyn.load(file.path(folder, "glue.so"))
now <- function() .Call("polympi_clock_now")
begun <- now()
library(Rmpi) # starts MPI
init <- now() - begun
for (file in c("ranks.R", "inner_product.R", "wave.R", "applications.R", "cases.R")) source(file.path(folder, file))
mpi.barrier(world)
ready <- now()

named <- length(given) == 4 && given[[3]] == "--name"
texts <- if (named) given[c(1, 2, 4)] else if (length(given) == 2) c(given, "r") else character()
chosen <- list(
  buffers = list(names(solvers), refuse_buffers, prepare_buffers),
  objects = list(character(), refuse_objects, prepare_objects)
)[[way]]
code <- .Call("polympi_run", texts, init, ready, chosen[[1]], chosen[[2]], chosen[[3]])
mpi.finalize()
quit(save = "no", status = code, runLast = FALSE)
