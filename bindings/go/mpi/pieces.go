package mpi

/*
#include "calls.h"
#cgo noescape go_gatherv
#cgo nocallback go_gatherv
#cgo noescape go_scatterv
#cgo nocallback go_scatterv
#cgo noescape go_allgatherv
#cgo nocallback go_allgatherv
#cgo noescape go_alltoallv
#cgo nocallback go_alltoallv
*/
import "C"

import "unsafe"

// Collectives whose receivers do not know how long messages are: the lengths travel first.

// cut describes pieces that lie one after the other: where each begins, and how long all are.
func cut(lengths []C.int) (from []C.int, whole int) {
	from = make([]C.int, len(lengths))
	for i, length := range lengths {
		from[i] = C.int(whole)
		whole += int(length)
	}
	return from, whole
}

// apart gives the pieces of a slice.
func apart[T any](whole []T, from, lengths []C.int) [][]T {
	pieces := make([][]T, len(lengths))
	for i, length := range lengths {
		pieces[i] = whole[from[i] : from[i]+length : from[i]+length]
	}
	return pieces
}

// joined puts pieces one after the other.
func joined[T any](pieces [][]T) (whole []T, from, lengths []C.int) {
	lengths = make([]C.int, len(pieces))
	for i, piece := range pieces {
		lengths[i] = C.int(len(piece))
	}
	from, n := cut(lengths)
	whole = make([]T, 0, n)
	for _, piece := range pieces {
		whole = append(whole, piece...)
	}
	return whole, from, lengths
}

// BcastNew gives the root's message to all ranks: the slice that others get is new.
func BcastNew[T any](c Comm, message []T, root int) ([]T, error) {
	length := [1]int64{int64(len(message))}
	if err := Bcast(c, length[:], root); err != nil {
		return nil, err
	}
	if c.Rank() != root {
		message = make([]T, length[0])
	}
	return message, Bcast(c, message, root)
}

// GatherNew brings messages of any length to the root; elsewhere it returns nil.
func GatherNew[T any](c Comm, message []T, root int) ([][]T, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	var lengths, from []C.int
	var whole []T
	if c.Rank() == root {
		lengths = make([]C.int, c.Size())
	}
	if err = Gather(c, []C.int{n}, lengths, root); err != nil {
		return nil, err
	}
	if c.Rank() == root {
		var all int
		from, all = cut(lengths)
		whole = make([]T, all)
	}
	code := C.go_gatherv(address(message), n, address(whole), unsafe.SliceData(lengths), unsafe.SliceData(from), t,
		C.int(root), c.handle)
	if code != 0 || c.Rank() != root {
		return nil, check("GatherNew", code)
	}
	return apart(whole, from, lengths), nil
}

// ScatterNew gives each rank its piece of the root's pieces, which may have any lengths.
func ScatterNew[T any](c Comm, pieces [][]T, root int) ([]T, error) {
	t, err := typeOf[T]()
	if err != nil {
		return nil, err
	}
	var whole []T
	var lengths, from []C.int
	if c.Rank() == root {
		whole, from, lengths = joined(pieces)
	}
	var n [1]C.int
	if err = Scatter(c, lengths, n[:], root); err != nil {
		return nil, err
	}
	piece := make([]T, n[0])
	code := C.go_scatterv(address(whole), unsafe.SliceData(lengths), unsafe.SliceData(from), address(piece), n[0], t,
		C.int(root), c.handle)
	return piece, check("ScatterNew", code)
}

// AllgatherNew brings messages of any length to all ranks.
func AllgatherNew[T any](c Comm, message []T) ([][]T, error) {
	n, t, err := describeMessage(message)
	if err != nil {
		return nil, err
	}
	lengths := make([]C.int, c.Size())
	if err = Allgather(c, []C.int{n}, lengths); err != nil {
		return nil, err
	}
	from, all := cut(lengths)
	whole := make([]T, all)
	code := C.go_allgatherv(address(message), n, address(whole), unsafe.SliceData(lengths), unsafe.SliceData(from), t,
		c.handle)
	return apart(whole, from, lengths), check("AllgatherNew", code)
}

// AlltoallNew gives piece i of each rank to rank i; pieces may have any lengths.
func AlltoallNew[T any](c Comm, pieces [][]T) ([][]T, error) {
	t, err := typeOf[T]()
	if err != nil {
		return nil, err
	}
	out, outFrom, outLengths := joined(pieces)
	lengths := make([]C.int, c.Size())
	if err = Alltoall(c, outLengths, lengths); err != nil {
		return nil, err
	}
	from, all := cut(lengths)
	whole := make([]T, all)
	code := C.go_alltoallv(address(out), unsafe.SliceData(outLengths), unsafe.SliceData(outFrom), address(whole),
		unsafe.SliceData(lengths), unsafe.SliceData(from), t, c.handle)
	return apart(whole, from, lengths), check("AlltoallNew", code)
}
