package main

/*
#include "glue.h"
*/
import "C"

import "polympi/bindings/go/mpi"

// ring passes a message round all ranks: every rank but the first sends on what it received.
func ring[T any](b *C.struct_polympi_buffers, m messages[T]) func() {
	out, in := m.out, m.in
	next, previous := int((b.rank+1)%b.ranks), int((b.rank+b.ranks-1)%b.ranks)
	if b.rank == 0 {
		return func() {
			must(mpi.Send(world, out, next, payloadTag))
			must(mpi.Recv(world, in, previous, payloadTag))
		}
	}
	return func() {
		must(mpi.Recv(world, in, previous, payloadTag))
		must(mpi.Send(world, in, next, payloadTag))
	}
}
