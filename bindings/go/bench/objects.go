package main

/*
#include "glue.h"
*/
import "C"

import "polympi/bindings/go/mpi"

// Objects between two ranks whose receiver learns from the message how long they are.

// list exchanges slices of integers.
func list(rank int, m messages[int64]) loops {
	var got []int64
	out := append([]int64(nil), m.out...)
	ping := func() {
		must(mpi.Send(world, out, 1, payloadTag))
		got = receive[int64](1)
	}
	pong := func() {
		got = receive[int64](0)
		must(mpi.Send(world, out, 0, payloadTag))
	}
	return loops{
		begin:   func() { got = nil },
		iterate: []func(){ping, pong}[rank],
		show:    func() { copy(m.in, got) },
	}
}

// text exchanges strings, which Go copies into bytes and back.
func text(rank int, m messages[byte]) loops {
	var got string
	out := string(m.out)
	ping := func() {
		must(mpi.Send(world, []byte(out), 1, payloadTag))
		got = string(receive[byte](1))
	}
	pong := func() {
		got = string(receive[byte](0))
		must(mpi.Send(world, []byte(out), 0, payloadTag))
	}
	return loops{
		begin:   func() { got = "" },
		iterate: []func(){ping, pong}[rank],
		show:    func() { copy(m.in, got) },
	}
}
