// Package mpi is the Message Passing Interface for Go: a thin layer over the C library that the program is linked with.
//
// A message is a slice of numbers, or of any type of fixed size: a struct, an array, a named type. The library is told
// its datatype, so that a program in another language can receive it. What does not have a fixed size can be sent as
// bytes, for example those that encoding/gob makes.
//
// Calls return an error where the C library reports one; an [*Error] holds its class.
//
//	mpi.Init(mpi.ThreadFunneled)
//	world := mpi.World()
//	if world.Rank() == 0 {
//		err = mpi.Send(world, []float64{1, 2, 3}, 1, 0)
//	} else {
//		err = mpi.Recv(world, received, 0, 0)
//	}
//	mpi.Finalize()
//	mpi.Exit(0)
//
// # Threads
//
// A goroutine may move from one thread to another. A program that asks for less than [ThreadSerialized] calls
// [runtime.LockOSThread] in main before [Init], and makes all calls in that goroutine.
//
// # Memory of messages on their way
//
// A message that was started and not waited for must stay where it is: as cgo asks, pin it ([runtime.Pinner]) or let it
// lie outside of Go's heap ([AllocMem]).
package mpi

/*
#include "calls.h"
#include <stdlib.h>
#cgo nocallback go_class
*/
import "C"

import "fmt"

// ThreadLevel is what a program promises about the threads that call this package.
type ThreadLevel int

// The levels, from the least to the most.
const (
	ThreadSingle ThreadLevel = iota
	ThreadFunneled
	ThreadSerialized
	ThreadMultiple
)

// Error is what the C library reported.
type Error struct {
	Operation string // the function of this package
	Code      int    // of the C library
	Class     int    // of the MPI standard
	Text      string // of the C library
}

func (e *Error) Error() string {
	return fmt.Sprintf("mpi.%s: %s (class %d)", e.Operation, e.Text, e.Class)
}

func check(operation string, code C.int) error {
	if code == 0 {
		return nil
	}
	return failure(operation, code)
}

func failure(operation string, code C.int) error {
	var text [C.MPI_MAX_ERROR_STRING]C.char
	length := C.go_text(code, &text[0])
	return &Error{operation, int(code), int(C.go_class(code)), C.GoStringN(&text[0], length)}
}

// Init starts MPI. From then on errors are returned, and do not end the program.
func Init(level ThreadLevel) error {
	var rank, size C.int
	code := C.go_init(C.go_level(C.int(level)), &rank, &size)
	world = Comm{C.go_world(), int(rank), int(size)}
	return check("Init", code)
}

// Finalize ends MPI; no call but [Exit] may follow it.
func Finalize() error {
	return check("Finalize", C.MPI_Finalize())
}

// Exit ends the program with this code after [Finalize], as C's exit does. Where main returns or calls [os.Exit], exit
// handlers of C libraries are skipped: MPICH, which tells its launcher only there that a rank ended well, has its
// launcher kill the ranks that are not so far yet.
func Exit(code int) {
	C.exit(C.int(code))
}

// Comm is a communicator: a group of ranks that exchange messages.
type Comm struct {
	handle     C.handle
	rank, size int
}

var world Comm

// World is the communicator of all ranks, once MPI has started.
func World() Comm { return world }

// Any source and any tag, for what receives or probes; and the rank of nobody, to whom no message goes.
var (
	AnySource = int(C.go_any_source())
	AnyTag    = int(C.go_any_tag())
	ProcNull  = int(C.go_proc_null())
)

// Rank is the number of this process in the communicator.
func (c Comm) Rank() int { return c.rank }

// Size is the number of ranks in the communicator.
func (c Comm) Size() int { return c.size }

// Free frees a communicator that was made.
func (c Comm) Free() error {
	return check("Comm.Free", C.go_comm_free(c.handle))
}

// Abort ends all ranks with this code.
func (c Comm) Abort(code int) {
	C.go_abort(c.handle, C.int(code))
}
