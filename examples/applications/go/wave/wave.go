// Package wave solves the wave equation in a cube whose boundary reflects, u_tt = u_xx + u_yy + u_zz, by central
// differences, on a mesh of ranks that exchange the faces of their blocks:
//
//	u^{l+1} = a (sum of the six neighbours of u) + (2 - 6 a) u - u^{l-1},    a = (time step / spacing)^2
//
// The wave begins at rest, as u = 2 cos(pi x) cos(pi y) cos(pi z).
package wave

import (
	"errors"
	"math"
	"time"

	"polympi/bindings/go/mpi"
)

// Points that a rank can have along an axis: few enough for an int of C to count those of a face.
const (
	leastPoints = 3
	mostPoints  = 46338
)

// What [New] returns on all ranks, though it may be so on one only.
var (
	ErrPoints = errors.New("the mesh is too small for the ranks, or too large: " +
		"each needs 3 points along each axis, and 46338 at most")
	ErrNoMemory = errors.New("a rank has no memory for its part of the mesh")
)

// TimeStep is 0.57728 of the spacing, a little less than the 1 / sqrt(3) up to which the scheme is stable.
func TimeStep(edge int) float64 { return 0.004510 * 128 / float64(edge-1) }

// Wave is the solver. All ranks call its methods.
type Wave struct {
	block
	cart          mpi.Comm
	edge          int
	start         [3]int // this rank's first point
	overlapped    bool
	steps         int
	faces         [numSides]face
	memory        []float64    // of both fields
	fields        [2][]float64 // of u and of the step before it, by turns
	current       int          // the field of u
	requests      [2][]*mpi.Persistent
	communication time.Duration
}

// New makes a mesh of edge^3 points, divided among the ranks. All ranks call it. If overlapped, points that need no
// neighbour are updated while the faces are in flight.
func New(comm mpi.Comm, edge int, overlapped bool) (*Wave, error) {
	w := &Wave{edge: edge, overlapped: overlapped}
	if err := w.prepare(comm); err != nil {
		return nil, errors.Join(err, w.Free())
	}
	w.Restart()
	return w, nil
}

func (w *Wave) prepare(comm mpi.Comm) error {
	if err := w.divide(comm); err != nil {
		return err
	}
	fits := true
	for _, n := range w.n {
		fits = fits && leastPoints <= n && n <= mostPoints
	}
	if err := everywhere(w.cart, fits, ErrPoints); err != nil {
		return err
	}
	if err := everywhere(w.cart, w.allocate(), ErrNoMemory); err != nil {
		return err
	}
	return errors.Join(w.prepareRequests(0), w.prepareRequests(1))
}

// divide finds the mesh of ranks, and which points are this rank's. Of those that are left over, each of the first
// ranks gets one.
func (w *Wave) divide(comm mpi.Comm) (err error) {
	dims := make([]int, 3)
	if err = mpi.DimsCreate(comm.Size(), dims); err != nil {
		return err
	}
	if w.cart, err = comm.CartCreate(dims, make([]bool, 3), false); err != nil {
		return err
	}
	coords, err := w.cart.CartCoords(w.cart.Rank())
	if err != nil {
		return err
	}
	var n [3]int
	var boundary [numSides]bool
	for axis, ranks := range dims {
		each, more := w.edge/ranks, w.edge%ranks
		n[axis], w.start[axis] = each, each*coords[axis]+min(coords[axis], more)
		if coords[axis] < more {
			n[axis]++
		}
		lower, upper, err := w.cart.CartShift(axis, 1)
		if err != nil {
			return err
		}
		for side, neighbor := range [2]int{lower, upper} {
			w.faces[2*axis+side].neighbor = neighbor
			boundary[2*axis+side] = neighbor == mpi.ProcNull
		}
	}
	w.block = newBlock(n, boundary)
	return nil
}

// everywhere returns the error on all ranks if something is not so on one.
func everywhere(comm mpi.Comm, here bool, otherwise error) error {
	all := []bool{false}
	err := mpi.Allreduce(comm, []bool{here}, all, mpi.Land)
	if err == nil && !all[0] {
		err = otherwise
	}
	return err
}

// allocate says whether there is memory. It is not Go's, because persistent requests keep its address, and Go's own
// make ends the program where there is none.
//
// The second field begins elsewhere in a page: else a processor takes values of it that are written for those of the
// first with the same place in a page, and waits.
func (w *Wave) allocate() bool {
	size := w.size()
	second := (size+numbersPerPage-1)/numbersPerPage*numbersPerPage + numbersPerPage/2 + 8
	var err error
	if w.memory, err = mpi.AllocMem[float64](second + size); err != nil {
		return false
	}
	askForHugePages(w.memory)
	w.fields = [2][]float64{w.memory[:size], w.memory[second:]}
	for side := 2; side < numSides; side++ {
		f, count := &w.faces[side], w.facePoints(side/2)
		if f.neighbor == mpi.ProcNull {
			continue
		}
		if f.outgoing, err = mpi.AllocMem[float64](2 * count); err != nil {
			return false
		}
		f.outgoing, f.incoming = f.outgoing[:count], f.outgoing[count:]
	}
	return true
}

// Restart gives the state before the first step.
func (w *Wave) Restart() {
	var cosines [3][]float64
	for axis, n := range w.n {
		cosines[axis] = make([]float64, n)
		for i := range n {
			cosines[axis][i] = math.Cos(math.Pi * float64(w.start[axis]+i) / float64(w.edge-1))
		}
	}
	for i, x := range cosines[0] {
		for j, y := range cosines[1] {
			row := w.fields[0][w.at(i+1, j+1, 0):][:w.row]
			for k, z := range cosines[2] {
				row[k+1] = 2 * x * y * z
			}
		}
		w.mirrorPlane(w.fields[0], i+1, w.all())
	}
	clear(w.fields[1]) // the first step takes nothing from before it
	w.current, w.steps = 0, 0
}

// Advance makes this many time steps.
func (w *Wave) Advance(steps int) error {
	ratio := TimeStep(w.edge) * float64(w.edge-1)
	for range steps {
		share := 1.0
		if w.steps == 0 {
			share = 0.5 // u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step
		}
		if err := w.step(share*ratio*ratio, share*(2-6*ratio*ratio)); err != nil {
			return err
		}
		w.current = 1 - w.current
		w.steps++
	}
	return nil
}

// step updates the points inside while the faces are in flight, if overlapped.
func (w *Wave) step(a, c float64) error {
	if err := w.startExchange(); err != nil {
		return err
	}
	if w.overlapped {
		w.updatePoints(w.inside(), a, c)
	}
	if err := w.finishExchange(); err != nil {
		return err
	}
	if w.overlapped {
		w.updateBeside(a, c)
	} else {
		w.updatePoints(w.all(), a, c)
	}
	return nil
}

func (w *Wave) updatePoints(p points, a, c float64) {
	w.update(w.fields[1-w.current], w.fields[w.current], p, a, c)
}

// updateBeside updates the points next to ghost layers of neighbours, axis by axis, each of them once.
func (w *Wave) updateBeside(a, c float64) {
	p := w.inside()
	for axis := 2; axis >= 0; axis-- {
		for side := 2 * axis; side < 2*axis+2; side++ {
			if !w.boundary[side] {
				p.first[axis], p.last[axis] = w.lastLayer(side), w.lastLayer(side)
				w.updatePoints(p, a, c)
			}
		}
		p.first[axis], p.last[axis] = 1, w.n[axis]
	}
}

// Part is a rank's part of u: point (i, j, k) of it, which is (Start[0] + i, Start[1] + j, Start[2] + k) of the mesh, is
// Values[i * Stride[0] + j * Stride[1] + k].
type Part struct {
	Values               []float64
	Start, Count, Stride [3]int
}

// Part is valid until the next step.
func (w *Wave) Part() Part {
	return Part{w.fields[w.current][w.at(1, 1, 1):], w.start, w.n, [3]int{w.plane, w.row, 1}}
}

// Communication is the time that this rank has spent in the exchange of faces.
func (w *Wave) Communication() time.Duration { return w.communication }

// Free frees what the solver holds.
func (w *Wave) Free() error {
	var errs []error
	for _, requests := range w.requests {
		for _, request := range requests {
			errs = append(errs, request.Free())
		}
	}
	for side := 2; side < numSides; side++ {
		if outgoing := w.faces[side].outgoing; outgoing != nil {
			errs = append(errs, mpi.FreeMem(outgoing))
		}
	}
	if w.memory != nil {
		errs = append(errs, mpi.FreeMem(w.memory))
	}
	if w.cart.Size() > 0 {
		errs = append(errs, w.cart.Free())
	}
	return errors.Join(errs...)
}
