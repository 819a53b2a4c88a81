package mpi

/*
#include "calls.h"
#cgo nocallback go_barrier
#cgo noescape go_bcast
#cgo nocallback go_bcast
#cgo noescape go_reduce
#cgo nocallback go_reduce
#cgo noescape go_allreduce
#cgo nocallback go_allreduce
#cgo noescape go_gather
#cgo nocallback go_gather
#cgo noescape go_scatter
#cgo nocallback go_scatter
#cgo noescape go_allgather
#cgo nocallback go_allgather
#cgo noescape go_alltoall
#cgo nocallback go_alltoall
*/
import "C"

import "fmt"

// Op is a reduction operation.
type Op struct{ handle C.handle }

// The reduction operations of numbers, and the logical ones of bool.
var (
	Sum  = Op{C.go_sum()}
	Prod = Op{C.go_prod()}
	Max  = Op{C.go_max()}
	Min  = Op{C.go_min()}
	Land = Op{C.go_land()}
	Lor  = Op{C.go_lor()}
)

// long says that a slice is too short for what a call writes into it; nil where it is not.
func long[T any](operation string, slice []T, needed int) error {
	if len(slice) < needed {
		return fmt.Errorf("mpi.%s: the slice that receives has %d elements, and %d arrive", operation, len(slice), needed)
	}
	return nil
}

// Barrier returns when all ranks have called it.
func (c Comm) Barrier() error {
	return check("Barrier", C.go_barrier(c.handle))
}

// Bcast gives the root's message to all ranks.
func Bcast[T any](c Comm, message []T, root int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Bcast", C.go_bcast(address(message), n, t, C.int(root), c.handle))
}

// Reduce combines the messages of all ranks, element by element; in is written on the root only.
func Reduce[T any](c Comm, out, in []T, op Op, root int) error {
	n, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	if c.rank == root {
		if err = long("Reduce", in, len(out)); err != nil {
			return err
		}
	}
	return check("Reduce", C.go_reduce(address(out), address(in), n, t, op.handle, C.int(root), c.handle))
}

// Allreduce combines the messages of all ranks, element by element, on all ranks.
func Allreduce[T any](c Comm, out, in []T, op Op) error {
	n, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	if err = long("Allreduce", in, len(out)); err != nil {
		return err
	}
	return check("Allreduce", C.go_allreduce(address(out), address(in), n, t, op.handle, c.handle))
}

// Gather brings the messages of all ranks to the root, one after the other in in, which others leave nil. All
// messages are as long as out.
func Gather[T any](c Comm, out, in []T, root int) error {
	n, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	if c.rank == root {
		if err = long("Gather", in, len(out)*c.size); err != nil {
			return err
		}
	}
	return check("Gather", C.go_gather(address(out), address(in), n, t, C.int(root), c.handle))
}

// Scatter gives each rank its piece of the root's message, which others leave nil. All pieces are as long as in.
func Scatter[T any](c Comm, out, in []T, root int) error {
	n, t, err := describeMessage(in)
	if err != nil {
		return err
	}
	if c.rank == root && len(out) < len(in)*c.size {
		return fmt.Errorf("mpi.Scatter: the message has %d elements, and %d are given away", len(out), len(in)*c.size)
	}
	return check("Scatter", C.go_scatter(address(out), address(in), n, t, C.int(root), c.handle))
}

// Allgather brings the messages of all ranks to all ranks, one after the other in in.
func Allgather[T any](c Comm, out, in []T) error {
	n, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	if err = long("Allgather", in, len(out)*c.size); err != nil {
		return err
	}
	return check("Allgather", C.go_allgather(address(out), address(in), n, t, c.handle))
}

// Alltoall gives piece i of each rank's message to rank i. Both slices hold one piece for each of the ranks.
func Alltoall[T any](c Comm, out, in []T) error {
	_, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	if err = long("Alltoall", in, len(out)); err != nil {
		return err
	}
	piece := C.int(len(out) / c.size)
	return check("Alltoall", C.go_alltoall(address(out), address(in), piece, t, c.handle))
}
