package mpi

/*
#include "calls.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// DimsCreate divides ranks among the dimensions of a mesh, as evenly as can be: dimensions that are 0 get a size, and
// others keep theirs.
func DimsCreate(ranks int, dims []int) error {
	chosen := ints(dims)
	code := C.go_dims_create(C.int(ranks), C.int(len(dims)), unsafe.SliceData(chosen))
	for i, size := range chosen {
		dims[i] = int(size)
	}
	return check("DimsCreate", code)
}

// CartCreate arranges the ranks as a mesh of these sizes, which begins again after its end where it is periodic. A
// rank that is left over gets a communicator of size 0.
func (c Comm) CartCreate(dims []int, periodic []bool, reorder bool) (Comm, error) {
	if len(periodic) != len(dims) {
		return Comm{}, fmt.Errorf("mpi.Comm.CartCreate: dims and periodic need one value for each dimension")
	}
	periods := make([]C.int, len(periodic))
	for i, around := range periodic {
		periods[i] = truth(around)
	}
	sizes := ints(dims)
	made := C.go_cart_create(c.handle, C.int(len(dims)), unsafe.SliceData(sizes), unsafe.SliceData(periods),
		truth(reorder))
	return Comm{made.comm, int(made.rank), int(made.size)}, check("Comm.CartCreate", made.code)
}

// CartCoords says where a rank of a mesh is, in each dimension.
func (c Comm) CartCoords(rank int) ([]int, error) {
	var dimensions C.int
	if err := check("Comm.CartCoords", C.go_cart_dimensions(c.handle, &dimensions)); err != nil {
		return nil, err
	}
	found := make([]C.int, dimensions)
	code := C.go_cart_coords(c.handle, C.int(rank), dimensions, unsafe.SliceData(found))
	coords := make([]int, dimensions)
	for i, coordinate := range found {
		coords[i] = int(coordinate)
	}
	return coords, check("Comm.CartCoords", code)
}

// CartShift gives the neighbours of this rank of a mesh, this many steps before and after it in one dimension;
// [ProcNull] is beyond the end.
func (c Comm) CartShift(dimension, displacement int) (source, dest int, err error) {
	var before, behind C.int
	code := C.go_cart_shift(c.handle, C.int(dimension), C.int(displacement), &before, &behind)
	return int(before), int(behind), check("Comm.CartShift", code)
}

func truth(of bool) C.int {
	if of {
		return 1
	}
	return 0
}
