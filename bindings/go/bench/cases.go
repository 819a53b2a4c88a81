package main

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"
)

const (
	payloadTag         = C.POLYMPI_PAYLOAD_TAG
	acknowledgementTag = C.POLYMPI_ACKNOWLEDGEMENT_TAG
)

// record is the payloads dict and instance.
type record struct {
	Integer int64
	Real    float64
	Text    [8]byte
}

var (
	noPosting  = C.CString("the receive of a slice whose length is not known cannot be posted before the message came")
	noBlocks   = C.CString("the module makes datatypes of whole types and of parts of arrays only")
	noMap      = C.CString("MPI sends no map: a user would encode it first")
	noSendrecv = C.CString("MPI_Sendrecv takes the length of what it receives")
)

// refuse says why a case cannot be run; nil if it can.
func refuse(c *C.struct_polympi_case) *C.char {
	switch {
	case c.payload == C.POLYMPI_MAP || c.payload == C.POLYMPI_NESTED:
		return noMap
	case c.benchmark == C.POLYMPI_DATATYPE &&
		(c.layout == C.POLYMPI_LAYOUT_INDEXED || c.layout == C.POLYMPI_LAYOUT_STRUCT):
		return noBlocks
	}
	if c.payload != C.POLYMPI_ARRAY {
		return nil
	}
	switch {
	case c.benchmark == C.POLYMPI_BANDWIDTH || c.benchmark == C.POLYMPI_BIBANDWIDTH,
		c.benchmark == C.POLYMPI_STREAM && c.send_mode == C.POLYMPI_READY:
		return noPosting
	case c.benchmark != C.POLYMPI_LATENCY:
		return nil
	case c.send_mode == C.POLYMPI_SENDRECV:
		return noSendrecv
	case c.send_mode == C.POLYMPI_READY || c.completion != C.POLYMPI_BLOCKING:
		return noPosting
	}
	return nil
}

func prepare(c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	l := choose(c, b)
	if c.send_mode == C.POLYMPI_BUFFERED {
		attached(&l, unsafe.Slice((*byte)(b.attached), int(b.attached_bytes)))
	}
	return l
}

func choose(c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	switch c.payload {
	case C.POLYMPI_NONE:
		return loops{iterate: func() { must(world.Barrier()) }}
	case C.POLYMPI_PROBLEM:
		return application(c, b)
	case C.POLYMPI_BYTES:
		return dispatch(c, b, memoryOf[byte](b))
	case C.POLYMPI_FLOAT64:
		if c.benchmark == C.POLYMPI_FACES {
			return faces(c, b)
		}
		if c.benchmark == C.POLYMPI_DATATYPE {
			return layouts(c, b)
		}
		return dispatch(c, b, memoryOf[float64](b))
	case C.POLYMPI_INT32:
		return dispatch(c, b, memoryOf[int32](b))
	case C.POLYMPI_INT:
		return object[int64](c, b)
	case C.POLYMPI_FLOAT:
		return object[float64](c, b)
	case C.POLYMPI_DICT, C.POLYMPI_INSTANCE:
		return object[record](c, b)
	case C.POLYMPI_LIST:
		return list(int(b.rank), memoryOf[int64](b))
	case C.POLYMPI_STRING:
		return text(int(b.rank), memoryOf[byte](b))
	default:
		return arrays(c, b, memoryOf[float64](b))
	}
}

// messages are what a rank sends and receives in one iteration.
type messages[T any] struct {
	outs, ins [][]T
	out, in   []T // all of them, where they lie side by side; else the first
}

// memoryOf gives the messages where the harness has laid them.
func memoryOf[T any](b *C.struct_polympi_buffers) messages[T] {
	m := messages[T]{
		outs: slots[T](b.outgoing, int(b.outgoing_messages), b),
		ins:  slots[T](b.incoming, int(b.incoming_messages), b),
	}
	m.out, m.in = whole(m.outs, b), whole(m.ins, b)
	return m
}

func slots[T any](memory unsafe.Pointer, count int, b *C.struct_polympi_buffers) [][]T {
	found := make([][]T, count)
	for i := range found {
		found[i] = unsafe.Slice((*T)(unsafe.Add(memory, i*int(b.stride))), int(b.count))
	}
	return found
}

// whole joins messages that touch, as those of a collective do.
func whole[T any](slots [][]T, b *C.struct_polympi_buffers) []T {
	var one T
	if len(slots) == 0 {
		return nil
	}
	if int(b.stride) != len(slots[0])*int(unsafe.Sizeof(one)) {
		return slots[0]
	}
	return unsafe.Slice(unsafe.SliceData(slots[0]), len(slots)*len(slots[0]))
}

// object runs a case whose messages are values of Go: they lie in Go's memory.
func object[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers) loops {
	shown := memoryOf[T](b)
	values, pins := pinned(shown)
	l := dispatch(c, b, values)
	prepared := l.begin
	l.begin = func() {
		clear(values.in)
		do(prepared)
	}
	l.show = func() { copy(shown.in, values.in) }
	l.release = pins.Unpin
	return l
}

func dispatch[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[T]) loops {
	switch {
	case c.benchmark == C.POLYMPI_LATENCY || c.benchmark == C.POLYMPI_PINGPONG_INT || c.benchmark == C.POLYMPI_OBJECT:
		return latency(c, b, m)
	case c.benchmark == C.POLYMPI_RING:
		return loops{iterate: ring(b, m)}
	case c.kind == C.POLYMPI_PAIR:
		return windows(c, b, m)
	}
	return loops{iterate: collectives(c, b, m)}
}
