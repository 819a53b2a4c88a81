// Package innerproduct takes the inner product of two vectors, of which each rank has a part.
package innerproduct

import (
	"errors"
	"time"

	"polympi/bindings/go/mpi"
)

// ErrNoMemory is returned on all ranks where one has no memory for its part of the vectors.
var ErrNoMemory = errors.New("a rank has no memory for its part of the vectors")

// InnerProduct is the solver. All ranks call its methods.
type InnerProduct struct {
	comm          mpi.Comm
	x, y          []float64
	value         [1]float64 // on rank 0
	communication time.Duration
}

// New makes the vectors x_i = 1 / (i + 1) and y_i = (i + 1) (1 + i mod 3), i = 0, 1, ... All ranks call it. The parts
// of the ranks differ by one element at most.
func New(comm mpi.Comm, length int) (*InnerProduct, error) {
	each, more := length/comm.Size(), length%comm.Size()
	start, count := each*comm.Rank()+min(comm.Rank(), more), each
	if comm.Rank() < more {
		count++
	}
	// Go's own make ends the program where there is no memory; this returns an error.
	x, lacksX := mpi.AllocMem[float64](count)
	y, lacksY := mpi.AllocMem[float64](count)
	s := &InnerProduct{comm: comm, x: x, y: y}
	made := []bool{false}
	err := mpi.Allreduce(comm, []bool{lacksX == nil && lacksY == nil}, made, mpi.Land)
	if err == nil && !made[0] {
		err = ErrNoMemory
	}
	if err != nil {
		return nil, errors.Join(err, s.Free())
	}
	for i := range x {
		x[i] = 1 / float64(start+i+1)
		y[i] = float64(start+i+1) * float64(1+(start+i)%3)
	}
	return s, nil
}

// Restart forgets the result.
func (s *InnerProduct) Restart() { s.value[0] = 0 }

// Advance takes the inner product this many times.
func (s *InnerProduct) Advance(iterations int) error {
	for range iterations {
		mine := [1]float64{multiply(s.x, s.y)}
		begun := time.Now()
		err := mpi.Reduce(s.comm, mine[:], s.value[:], mpi.Sum, 0)
		s.communication += time.Since(begun)
		if err != nil {
			return err
		}
	}
	return nil
}

// multiply adds up four sums, so that an addition begins while others are not complete.
func multiply(x, y []float64) float64 {
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i := range x {
		a += x[i] * y[i]
	}
	return (a + b) + (c + d)
}

// Value is the inner product, on rank 0.
func (s *InnerProduct) Value() float64 { return s.value[0] }

// Communication is the time that this rank has spent in reductions.
func (s *InnerProduct) Communication() time.Duration { return s.communication }

// Free frees the vectors.
func (s *InnerProduct) Free() error {
	var errs [2]error
	for i, vector := range [][]float64{s.x, s.y} {
		if vector != nil {
			errs[i] = mpi.FreeMem(vector)
		}
	}
	return errors.Join(errs[:]...)
}
