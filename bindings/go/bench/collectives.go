package main

/*
#include "glue.h"
*/
import "C"

import "polympi/bindings/go/mpi"

// collectives are one call an iteration, root 0.
func collectives[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[T]) func() {
	out, in := m.out, m.in
	switch c.benchmark {
	case C.POLYMPI_BCAST:
		message := in
		if b.rank == 0 {
			message = out
		}
		return func() { must(mpi.Bcast(world, message, 0)) }
	case C.POLYMPI_REDUCE:
		return func() { must(mpi.Reduce(world, out, in, mpi.Sum, 0)) }
	case C.POLYMPI_ALLREDUCE:
		return func() { must(mpi.Allreduce(world, out, in, mpi.Sum)) }
	case C.POLYMPI_GATHER:
		return func() { must(mpi.Gather(world, out, in, 0)) }
	case C.POLYMPI_SCATTER:
		return func() { must(mpi.Scatter(world, out, in, 0)) }
	case C.POLYMPI_ALLGATHER:
		return func() { must(mpi.Allgather(world, out, in)) }
	default:
		return func() { must(mpi.Alltoall(world, out, in)) }
	}
}
