package main

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	"polympi/bindings/go/mpi"
)

// faces sends a face of a cube, and receives into the last face of that direction.
func faces(c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	edge := int(b.edge)
	out := unsafe.Slice((*float64)(b.outgoing), edge*edge*edge)
	in := out[(uintptr(b.incoming)-uintptr(b.outgoing))/unsafe.Sizeof(out[0]):]
	if c.face == C.POLYMPI_CONTIGUOUS {
		return loops{iterate: blocking(mpi.Send[float64], out[:edge*edge], in, int(b.rank))}
	}
	part := []int{edge, edge, edge}
	part[c.face] = 1
	face, err := mpi.Subarray[float64]([]int{edge, edge, edge}, part, []int{0, 0, 0})
	must(err)
	return typed(out, in, face, int(b.rank))
}
