package main

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	"polympi/bindings/go/mpi"
)

// Slices whose receiver does not know how long they are: each is received into a new one.

func arrays(c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[float64]) loops {
	got := make([][]float64, len(m.ins)) // what the last iteration received
	l := loops{
		begin: func() { clear(got) },
		show: func() {
			for i := range m.ins {
				copy(m.ins[i], got[i])
			}
		},
	}
	sends := blockingSends[float64]()
	switch c.benchmark {
	case C.POLYMPI_LATENCY:
		l.iterate = arrayLatency(sends[c.send_mode], m.out, got, int(b.rank))
	case C.POLYMPI_STREAM:
		acknowledgement := unsafe.Slice((*byte)(b.acknowledgement), 1)
		l.iterate = arrayStream(sends[c.send_mode], m.outs, got, acknowledgement, int(b.rank))
	default:
		l.iterate = arrayCollectives(c, b, m, got)
	}
	return l
}

func receive[T any](source int) []T {
	message, _, err := mpi.RecvNew[T](world, source, payloadTag)
	must(err)
	return message
}

func arrayLatency(send sendCall[float64], out []float64, got [][]float64, rank int) func() {
	ping := func() {
		must(send(world, out, 1, payloadTag))
		got[0] = receive[float64](1)
	}
	pong := func() {
		got[0] = receive[float64](0)
		must(send(world, out, 0, payloadTag))
	}
	return []func(){ping, pong}[rank]
}

func arrayStream(send sendCall[float64], outs, got [][]float64, acknowledgement []byte, rank int) func() {
	a := func() { sendAll(send, outs, acknowledgement) }
	b := func() {
		for i := range got {
			got[i] = receive[float64](0)
		}
		must(mpi.Send(world, acknowledgement, 0, acknowledgementTag))
	}
	return []func(){a, b}[rank]
}

func arrayCollectives(c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[float64],
	got [][]float64) func() {
	out, root := m.out, b.rank == 0
	var err error
	switch c.benchmark {
	case C.POLYMPI_BCAST:
		return func() {
			message, err := mpi.BcastNew(world, out, 0)
			must(err)
			if !root {
				got[0] = message
			}
		}
	case C.POLYMPI_REDUCE:
		return func() {
			if !root {
				must(mpi.Reduce(world, out, nil, mpi.Sum, 0))
				return
			}
			got[0] = make([]float64, len(out))
			must(mpi.Reduce(world, out, got[0], mpi.Sum, 0))
		}
	case C.POLYMPI_ALLREDUCE:
		return func() {
			got[0] = make([]float64, len(out))
			must(mpi.Allreduce(world, out, got[0], mpi.Sum))
		}
	case C.POLYMPI_GATHER:
		return func() {
			pieces, err := mpi.GatherNew(world, out, 0)
			must(err)
			copy(got, pieces)
		}
	case C.POLYMPI_SCATTER:
		return func() {
			got[0], err = mpi.ScatterNew(world, m.outs, 0)
			must(err)
		}
	case C.POLYMPI_ALLGATHER:
		return func() {
			pieces, err := mpi.AllgatherNew(world, out)
			must(err)
			copy(got, pieces)
		}
	default:
		return func() {
			pieces, err := mpi.AlltoallNew(world, m.outs)
			must(err)
			copy(got, pieces)
		}
	}
}
