package main

/*
#include "glue.h"
*/
import "C"

import "polympi/bindings/go/mpi"

// In the names of loops, ping is rank 0 and pong rank 1.

type (
	sendCall[T any]  func(c mpi.Comm, message []T, dest, tag int) error
	startCall[T any] func(c mpi.Comm, message []T, dest, tag int) (mpi.Request, error)
	initCall[T any]  func(c mpi.Comm, message []T, dest, tag int) (*mpi.Persistent, error)
)

// blockingSends are the calls of the send modes, in their order.
func blockingSends[T any]() []sendCall[T] {
	return []sendCall[T]{mpi.Send[T], mpi.Ssend[T], mpi.Bsend[T], mpi.Rsend[T]}
}

func latency[T any](c *C.struct_polympi_case, b *C.struct_polympi_buffers, m messages[T]) loops {
	sends := blockingSends[T]()
	starts := []startCall[T]{mpi.Isend[T], mpi.Issend[T], mpi.Ibsend[T], mpi.Irsend[T]}
	inits := []initCall[T]{mpi.SendInit[T], mpi.SsendInit[T], mpi.BsendInit[T], mpi.RsendInit[T]}
	rank, ready := int(b.rank), c.send_mode == C.POLYMPI_READY
	var l loops
	switch {
	case c.send_mode == C.POLYMPI_SENDRECV:
		l.iterate = sendrecv(m.out, m.in, 1-rank)
	case c.completion == C.POLYMPI_PERSISTENT:
		l = persistent(inits[c.send_mode], m.out, m.in, rank, ready)
	case ready:
		send := sends[c.send_mode]
		if c.completion == C.POLYMPI_NONBLOCKING {
			send = waited(starts[c.send_mode])
		}
		l = readySends(send, m.out, m.in, rank)
	case c.completion == C.POLYMPI_NONBLOCKING:
		l.iterate = nonblocking(starts[c.send_mode], m.out, m.in, rank)
	default:
		l.iterate = blocking(sends[c.send_mode], m.out, m.in, rank)
	}
	return l
}

// attached lets loops run with memory for buffered sends.
func attached(l *loops, memory []byte) {
	begin, end := l.begin, l.end
	l.begin = func() {
		must(mpi.AttachBuffer(memory))
		do(begin)
	}
	l.end = func() {
		do(end)
		must(mpi.DetachBuffer())
	}
}

func sendrecv[T any](out, in []T, peer int) func() {
	return func() { must(mpi.Sendrecv(world, out, peer, payloadTag, in, peer, payloadTag)) }
}

func blocking[T any](send sendCall[T], out, in []T, rank int) func() {
	ping := func() {
		must(send(world, out, 1, payloadTag))
		must(mpi.Recv(world, in, 1, payloadTag))
	}
	pong := func() {
		must(mpi.Recv(world, in, 0, payloadTag))
		must(send(world, out, 0, payloadTag))
	}
	return []func(){ping, pong}[rank]
}

// waited is a send that is started and waited for.
func waited[T any](start startCall[T]) sendCall[T] {
	return func(c mpi.Comm, message []T, dest, tag int) error {
		request, err := start(c, message, dest, tag)
		if err != nil {
			return err
		}
		return request.Wait()
	}
}

func nonblocking[T any](start startCall[T], out, in []T, rank int) func() {
	ping := func() {
		sending, err := start(world, out, 1, payloadTag)
		must(err)
		must(sending.Wait())
		receiving, err := mpi.Irecv(world, in, 1, payloadTag)
		must(err)
		must(receiving.Wait())
	}
	pong := func() {
		receiving, err := mpi.Irecv(world, in, 0, payloadTag)
		must(err)
		must(receiving.Wait())
		sending, err := start(world, out, 0, payloadTag)
		must(err)
		must(sending.Wait())
	}
	return []func(){ping, pong}[rank]
}

func persistent[T any](initialise initCall[T], out, in []T, rank int, ready bool) loops {
	var sending, receiving *mpi.Persistent
	send := func() {
		must(sending.Start())
		must(sending.Wait())
	}
	ping := func() {
		send()
		must(receiving.Start())
		must(receiving.Wait())
	}
	pong := func() {
		must(receiving.Start())
		must(receiving.Wait())
		send()
	}
	readyPing := func() {
		must(receiving.Start())
		send()
		must(receiving.Wait())
	}
	readyPong := func() {
		must(receiving.Wait())
		must(receiving.Start())
		send()
	}
	l := loops{iterate: []func(){ping, pong}[rank]}
	if ready {
		l = aheadOfReady(
			out, rank,
			func() { must(receiving.Start()) },
			func() { must(receiving.Wait()) },
		)
		l.iterate = []func(){readyPing, readyPong}[rank]
	}
	begin, end := l.begin, l.end
	l.begin = func() {
		var err error
		sending, err = initialise(world, out, 1-rank, payloadTag)
		must(err)
		receiving, err = mpi.RecvInit(world, in, 1-rank, payloadTag)
		must(err)
		do(begin)
	}
	l.end = func() {
		do(end)
		must(sending.Free())
		must(receiving.Free())
	}
	return l
}

// readySends are loops in which every receive is posted before the message that makes the other side send.
func readySends[T any](send sendCall[T], out, in []T, rank int) loops {
	var ahead mpi.Request // the receive that rank 1 has posted
	post := func() {
		var err error
		ahead, err = mpi.Irecv(world, in, 0, payloadTag)
		must(err)
	}
	ping := func() {
		receiving, err := mpi.Irecv(world, in, 1, payloadTag)
		must(err)
		must(send(world, out, 1, payloadTag))
		must(receiving.Wait())
	}
	pong := func() {
		must(ahead.Wait())
		post()
		must(send(world, out, 0, payloadTag))
	}
	l := aheadOfReady(out, rank, post, func() { must(ahead.Wait()) })
	l.iterate = []func(){ping, pong}[rank]
	return l
}

// aheadOfReady lets rank 1 post its first receive and tell rank 0, and completes its last one by an empty message.
func aheadOfReady[T any](out []T, rank int, post, wait func()) loops {
	if rank == 0 {
		return loops{
			begin: func() { must(mpi.Recv(world, []byte{}, 1, acknowledgementTag)) },
			end:   func() { must(mpi.Send(world, out[:0], 1, payloadTag)) },
		}
	}
	return loops{
		begin: func() {
			post()
			must(mpi.Send(world, []byte{}, 0, acknowledgementTag))
		},
		end: wait,
	}
}
