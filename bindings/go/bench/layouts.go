package main

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	"polympi/bindings/go/mpi"
)

// layouts exchanges the elements of a message where they lie.
func layouts(c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	if c.layout == C.POLYMPI_LAYOUT_VECTOR {
		return everySecond(b)
	}
	out := unsafe.Slice((*float64)(b.outgoing), int(b.count))
	in := unsafe.Slice((*float64)(b.incoming), int(b.count))
	return loops{iterate: blocking(mpi.Send[float64], out, in, int(b.rank))}
}

// everySecond sends and receives every second element of a slice: the first column of two.
func everySecond(b *C.struct_polympi_buffers) loops {
	rows := int(b.count)
	out := unsafe.Slice((*float64)(b.outgoing), 2*rows)
	in := unsafe.Slice((*float64)(b.incoming), 2*rows)
	column, err := mpi.Subarray[float64]([]int{rows, 2}, []int{rows, 1}, []int{0, 0})
	must(err)
	return typed(out, in, column, int(b.rank))
}

// typed is a ping-pong of what a datatype describes.
func typed(out, in []float64, t mpi.Datatype, rank int) loops {
	ping := func() {
		must(mpi.SendTyped(world, out, 1, t, 1, payloadTag))
		must(mpi.RecvTyped(world, in, 1, t, 1, payloadTag))
	}
	pong := func() {
		must(mpi.RecvTyped(world, in, 1, t, 0, payloadTag))
		must(mpi.SendTyped(world, out, 1, t, 0, payloadTag))
	}
	return loops{iterate: []func(){ping, pong}[rank], release: func() { must(t.Free()) }}
}
