package main

/*
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"time"
	"unsafe"

	"polympi/applications/innerproduct"
	"polympi/applications/wave"
)

// optedIn has a bit for each benchmark that has a solver here, and for streams in other modes than the standard one.
const optedIn = 1<<C.POLYMPI_STREAM | 1<<C.POLYMPI_WAVE | 1<<C.POLYMPI_INNER_PRODUCT

// solver is an application of examples/applications/go.
type solver interface {
	Restart()
	Advance(iterations int) error
	Communication() time.Duration
	Free() error
}

// application runs a solver as a case.
func application(c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	if c.benchmark == C.POLYMPI_INNER_PRODUCT {
		return innerProduct(b)
	}
	w, err := wave.New(world, int(b.edge), c.variant == C.POLYMPI_VARIANT_OVERLAPPED)
	giveUpOn(err)
	return solved(w, func() {
		part := w.Part()
		b.part.values = (*C.double)(unsafe.SliceData(part.Values))
		for axis := range 3 {
			b.part.start[axis] = C.int64_t(part.Start[axis])
			b.part.count[axis] = C.int64_t(part.Count[axis])
			b.part.stride[axis] = C.int64_t(part.Stride[axis])
		}
	})
}

func innerProduct(b *C.struct_polympi_buffers) loops {
	product, err := innerproduct.New(world, int(b.edge))
	giveUpOn(err)
	value := new(float64)
	var pins runtime.Pinner
	pins.Pin(value) // C keeps its address until it has checked it
	l := solved(product, func() {
		*value = product.Value()
		*b.part = C.struct_polympi_part{values: (*C.double)(value)}
		b.part.count, b.part.stride[0] = [3]C.int64_t{0, 1, 1}, 1
		if b.rank == 0 {
			b.part.count[0] = 1
		}
	})
	free := l.release
	l.release = func() {
		pins.Unpin()
		free()
	}
	return l
}

func solved(s solver, show func()) loops {
	return loops{
		begin:         s.Restart,
		iterate:       func() { must(s.Advance(1)) },
		show:          show,
		release:       func() { must(s.Free()) },
		communication: s.Communication,
	}
}

// giveUpOn ends all ranks where there is no solver, which is so on all of them.
func giveUpOn(err error) {
	if err == nil {
		return
	}
	if world.Rank() == 0 {
		fmt.Fprintf(os.Stderr, "The case does not fit: %v.\n", err)
	}
	world.Abort(C.POLYMPI_NO_MEMORY)
}
