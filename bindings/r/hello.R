# Every rank says which it is: what a program needs before it does anything.
suppressMessages(library(Rmpi))

cat(sprintf("Hello from rank %d of %d\n", mpi.comm.rank(0), mpi.comm.size(0)))
invisible(mpi.finalize())
