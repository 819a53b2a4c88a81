package mpi

/*
#include "calls.h"
*/
import "C"

import "unsafe"

// BsendOverhead is the memory that a buffered send takes in addition to its message, in bytes.
var BsendOverhead = int(C.go_overhead())

// AttachBuffer gives the memory for copies of buffered sends; like that of a message on its way it must stay where it is
// until [DetachBuffer].
func AttachBuffer(memory []byte) error {
	return check("AttachBuffer", C.go_attach(address(memory), C.int(len(memory))))
}

// DetachBuffer waits until all buffered messages are delivered, and takes the memory back.
func DetachBuffer() error {
	return check("DetachBuffer", C.go_detach())
}

// AllocMem allocates memory for n elements outside of Go's heap, where nothing moves or frees it before [FreeMem].
func AllocMem[T any](n int) ([]T, error) {
	if _, err := typeOf[T](); err != nil {
		return nil, err
	}
	var one T
	var code C.int
	memory := C.go_alloc(C.int64_t(uintptr(n)*unsafe.Sizeof(one)), &code)
	if code != 0 {
		return nil, failure("AllocMem", code)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(memory)), n), nil
}

// FreeMem frees what [AllocMem] returned.
func FreeMem[T any](memory []T) error {
	return check("FreeMem", C.go_free(address(memory)))
}
