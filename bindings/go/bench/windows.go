package main

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	"polympi/bindings/go/mpi"
)

// Many messages in flight; a is rank 0 and b rank 1.

func windows[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[T]) loops {
	acknowledgement := unsafe.Slice((*byte)(b.acknowledgement), 1)
	rank := int(b.rank)
	switch c.benchmark {
	case C.POLYMPI_BANDWIDTH:
		return loops{iterate: bandwidth(m, acknowledgement, rank)}
	case C.POLYMPI_STREAM:
		return streams(c, b, m, acknowledgement)
	}
	return loops{iterate: bibandwidth(m, 1-rank)}
}

func postReceives[T any](ins [][]T, peer int, requests []mpi.Request) {
	var err error
	for i, in := range ins {
		requests[i], err = mpi.Irecv(world, in, peer, payloadTag)
		must(err)
	}
}

func startSends[T any](outs [][]T, peer int, requests []mpi.Request) {
	var err error
	for i, out := range outs {
		requests[i], err = mpi.Isend(world, out, peer, payloadTag)
		must(err)
	}
}

func bandwidth[T any](m messages[T], acknowledgement []byte, rank int) func() {
	requests := make([]mpi.Request, len(m.outs)+len(m.ins))
	a := func() {
		startSends(m.outs, 1, requests)
		must(mpi.Waitall(requests))
		must(mpi.Recv(world, acknowledgement, 1, acknowledgementTag))
	}
	b := func() {
		postReceives(m.ins, 0, requests)
		must(mpi.Waitall(requests))
		must(mpi.Send(world, acknowledgement, 0, acknowledgementTag))
	}
	return []func(){a, b}[rank]
}

func bibandwidth[T any](m messages[T], peer int) func() {
	requests := make([]mpi.Request, len(m.outs)+len(m.ins))
	receives, sends := requests[:len(m.ins)], requests[len(m.ins):]
	return func() {
		postReceives(m.ins, peer, receives)
		startSends(m.outs, peer, sends)
		must(mpi.Waitall(requests))
	}
}

func streams[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[T],
	acknowledgement []byte) loops {
	if c.send_mode == C.POLYMPI_READY {
		return loops{iterate: readyStream(m, acknowledgement, int(b.rank))}
	}
	return loops{iterate: stream(blockingSends[T]()[c.send_mode], m, acknowledgement, int(b.rank))}
}

func sendAll[T any](send sendCall[T], outs [][]T, acknowledgement []byte) {
	for _, out := range outs {
		must(send(world, out, 1, payloadTag))
	}
	must(mpi.Recv(world, acknowledgement, 1, acknowledgementTag))
}

// readyStream posts all receives before the message that makes the other side send.
func readyStream[T any](m messages[T], acknowledgement []byte, rank int) func() {
	requests := make([]mpi.Request, len(m.ins))
	a := func() {
		must(mpi.Recv(world, acknowledgement, 1, acknowledgementTag))
		sendAll(mpi.Rsend[T], m.outs, acknowledgement)
	}
	b := func() {
		postReceives(m.ins, 0, requests)
		must(mpi.Send(world, acknowledgement, 0, acknowledgementTag))
		must(mpi.Waitall(requests))
		must(mpi.Send(world, acknowledgement, 0, acknowledgementTag))
	}
	return []func(){a, b}[rank]
}

func stream[T any](send sendCall[T], m messages[T], acknowledgement []byte, rank int) func() {
	a := func() { sendAll(send, m.outs, acknowledgement) }
	b := func() {
		for _, in := range m.ins {
			must(mpi.Recv(world, in, 0, payloadTag))
		}
		must(mpi.Send(world, acknowledgement, 0, acknowledgementTag))
	}
	return []func(){a, b}[rank]
}
