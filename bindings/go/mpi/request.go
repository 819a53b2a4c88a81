package mpi

/*
#include "calls.h"
#cgo nocallback go_isend
#cgo nocallback go_issend
#cgo nocallback go_ibsend
#cgo nocallback go_irsend
#cgo nocallback go_irecv
#cgo nocallback go_start
#cgo noescape go_startall
#cgo nocallback go_startall
#cgo nocallback go_wait
#cgo noescape go_waitall
#cgo nocallback go_waitall
*/
import "C"

import "unsafe"

// Request is a message on its way. Its memory must stay where it is until the request was waited for (see above).
type Request struct {
	handle C.handle
	memory unsafe.Pointer // keeps the collector from freeing it
}

func request[T any](operation string, message []T, made C.struct_made) (Request, error) {
	return Request{made.made, unsafe.Pointer(unsafe.SliceData(message))}, check(operation, made.code)
}

// Isend begins to send a message.
func Isend[T any](c Comm, message []T, dest, tag int) (Request, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Request{}, err
	}
	return request("Isend", message, C.go_isend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Issend begins a send that is complete when its receive has begun.
func Issend[T any](c Comm, message []T, dest, tag int) (Request, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Request{}, err
	}
	return request("Issend", message, C.go_issend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Ibsend begins a send from a copy in the memory that [AttachBuffer] gave.
func Ibsend[T any](c Comm, message []T, dest, tag int) (Request, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Request{}, err
	}
	return request("Ibsend", message, C.go_ibsend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Irsend begins to send a message whose receive has been posted.
func Irsend[T any](c Comm, message []T, dest, tag int) (Request, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Request{}, err
	}
	return request("Irsend", message, C.go_irsend(address(message), n, t, C.int(dest), C.int(tag), c.handle))
}

// Irecv posts a receive of a message that is at most as long as the slice.
func Irecv[T any](c Comm, message []T, source, tag int) (Request, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return Request{}, err
	}
	return request("Irecv", message, C.go_irecv(address(message), n, t, C.int(source), C.int(tag), c.handle))
}

var noRequest = C.go_no_request()

// Wait waits until the request is complete.
func (r *Request) Wait() error {
	code := C.go_wait(r.handle)
	r.handle, r.memory = noRequest, nil
	return check("Request.Wait", code)
}

// Test says whether the request is complete.
func (r *Request) Test() (bool, error) {
	var done C.int
	tested := C.go_test(r.handle, &done)
	if r.handle = tested.made; done != 0 {
		r.memory = nil
	}
	return done != 0, check("Request.Test", tested.code)
}

// most is the number of requests whose handles a call puts on the stack; those of more take memory of the heap.
const most = 256

// Waitall waits until all requests are complete.
func Waitall(requests []Request) error {
	var room [most]C.handle
	handles := room[:0]
	for i := range requests {
		handles = append(handles, requests[i].handle)
	}
	code := C.go_waitall(C.int(len(handles)), unsafe.SliceData(handles))
	for i := range requests {
		requests[i] = Request{handle: noRequest}
	}
	return check("Waitall", code)
}

// Persistent is a message that can be sent or received any number of times.
type Persistent struct{ request Request }

// SendInit makes a persistent send.
func SendInit[T any](c Comm, message []T, dest, tag int) (*Persistent, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	r, err := request("SendInit", message, C.go_send_init(address(message), n, t, C.int(dest), C.int(tag), c.handle))
	return &Persistent{r}, err
}

// SsendInit makes a persistent send that is complete when its receive has begun.
func SsendInit[T any](c Comm, message []T, dest, tag int) (*Persistent, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	r, err := request("SsendInit", message, C.go_ssend_init(address(message), n, t, C.int(dest), C.int(tag), c.handle))
	return &Persistent{r}, err
}

// BsendInit makes a persistent send from a copy in the memory that [AttachBuffer] gave.
func BsendInit[T any](c Comm, message []T, dest, tag int) (*Persistent, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	r, err := request("BsendInit", message, C.go_bsend_init(address(message), n, t, C.int(dest), C.int(tag), c.handle))
	return &Persistent{r}, err
}

// RsendInit makes a persistent send, to be started when its receive has been.
func RsendInit[T any](c Comm, message []T, dest, tag int) (*Persistent, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	r, err := request("RsendInit", message, C.go_rsend_init(address(message), n, t, C.int(dest), C.int(tag), c.handle))
	return &Persistent{r}, err
}

// RecvInit makes a persistent receive.
func RecvInit[T any](c Comm, message []T, source, tag int) (*Persistent, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	r, err := request("RecvInit", message, C.go_recv_init(address(message), n, t, C.int(source), C.int(tag), c.handle))
	return &Persistent{r}, err
}

// Start begins to send or to receive.
func (p *Persistent) Start() error {
	return check("Persistent.Start", C.go_start(p.request.handle))
}

// Startall begins to send or to receive all of them.
func Startall(requests []*Persistent) error {
	var room [most]C.handle
	handles := handlesOf(requests, room[:0])
	return check("Startall", C.go_startall(C.int(len(handles)), unsafe.SliceData(handles)))
}

// WaitallStarted waits until all that were started are complete; then they can be started again.
func WaitallStarted(requests []*Persistent) error {
	var room [most]C.handle
	handles := handlesOf(requests, room[:0])
	return check("WaitallStarted", C.go_waitall(C.int(len(handles)), unsafe.SliceData(handles)))
}

func handlesOf(requests []*Persistent, handles []C.handle) []C.handle {
	for _, persistent := range requests {
		handles = append(handles, persistent.request.handle)
	}
	return handles
}

// Wait waits until what was started is complete; then it can be started again.
func (p *Persistent) Wait() error {
	return check("Persistent.Wait", C.go_wait(p.request.handle))
}

// Free frees the request, which is not pending.
func (p *Persistent) Free() error {
	code := C.go_request_free(p.request.handle)
	p.request = Request{handle: noRequest}
	return check("Persistent.Free", code)
}
