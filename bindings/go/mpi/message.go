package mpi

/*
#include "calls.h"
#cgo noescape go_send
#cgo nocallback go_send
#cgo noescape go_ssend
#cgo nocallback go_ssend
#cgo noescape go_bsend
#cgo nocallback go_bsend
#cgo noescape go_rsend
#cgo nocallback go_rsend
#cgo noescape go_recv
#cgo nocallback go_recv
#cgo noescape go_recv_status
#cgo nocallback go_recv_status
#cgo noescape go_sendrecv
#cgo nocallback go_sendrecv
#cgo nocallback go_mprobe
#cgo noescape go_mrecv
#cgo nocallback go_mrecv
*/
import "C"

// Status tells of a message that was received or probed for.
type Status struct {
	Source int
	Tag    int
	Count  int // elements, of the type that was asked for
}

// Send sends a message to a rank.
func Send[T any](c Comm, message []T, dest, tag int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Send", C.go_send(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Ssend sends a message, and returns when its receive has begun.
func Ssend[T any](c Comm, message []T, dest, tag int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Ssend", C.go_ssend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Bsend sends a message from a copy in the memory that [AttachBuffer] gave.
func Bsend[T any](c Comm, message []T, dest, tag int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Bsend", C.go_bsend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Rsend sends a message whose receive has been posted.
func Rsend[T any](c Comm, message []T, dest, tag int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Rsend", C.go_rsend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Recv receives a message that is at most as long as the slice.
func Recv[T any](c Comm, message []T, source, tag int) error {
	n, t, err := describeMessage(message)
	if err != nil {
		return err
	}
	return check("Recv", C.go_recv(address(message), n, t, C.int(source), C.int(tag), c.handle))
}

// RecvStatus receives as [Recv] does, and tells who sent how much.
func RecvStatus[T any](c Comm, message []T, source, tag int) (Status, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Status{}, err
	}
	told := C.go_recv_status(address(message), n, t, C.int(source), C.int(tag), c.handle)
	return status(told), check("RecvStatus", told.code)
}

func status(told C.struct_told) Status {
	return Status{int(told.source), int(told.tag), int(told.count)}
}

// RecvNew receives a message of any length: the slice is as long as the message.
func RecvNew[T any](c Comm, source, tag int) ([]T, Status, error) {
	t, err := typeOf[T]()
	if err != nil {
		return nil, Status{}, err
	}
	found := C.go_mprobe(C.int(source), C.int(tag), c.handle, t)
	if found.told.code != 0 {
		return nil, Status{}, failure("RecvNew", found.told.code)
	}
	message := make([]T, max(found.told.count, 0))
	code := C.go_mrecv(address(message), found.told.count, t, found.message)
	return message, status(found.told), check("RecvNew", code)
}

// Sendrecv sends to one rank and receives from one, in one call.
func Sendrecv[T any](c Comm, out []T, dest, sendTag int, in []T, source, receiveTag int) error {
	n, t, err := describeMessage(out)
	if err != nil {
		return err
	}
	m, _, err := describeMessage(in)
	if err != nil {
		return err
	}
	return check("Sendrecv", C.go_sendrecv(address(out), n, address(in), m, t, C.int(dest), C.int(sendTag),
		C.int(source), C.int(receiveTag), c.handle))
}

// SendTyped sends count elements of a datatype, whose memory begins with the slice and lies within it.
func SendTyped[T any](c Comm, memory []T, count int, t Datatype, dest, tag int) error {
	return check("SendTyped", C.go_send(address(memory), C.int(count), t.handle, C.int(dest), C.int(tag), c.handle))
}

// RecvTyped receives count elements of a datatype into memory that begins with the slice and lies within it.
func RecvTyped[T any](c Comm, memory []T, count int, t Datatype, source, tag int) error {
	return check("RecvTyped", C.go_recv(address(memory), C.int(count), t.handle, C.int(source), C.int(tag), c.handle))
}
