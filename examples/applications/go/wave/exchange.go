package wave

import (
	"time"

	"polympi/bindings/go/mpi"
)

// Side 2 a is the lower one of axis a, side 2 a + 1 the upper one.
const numSides = 6

// face is what is exchanged at a side. Across axis 0 points are sent from where they are.
type face struct {
	neighbor           int // or mpi.ProcNull: the boundary
	outgoing, incoming []float64
}

// prepareRequests makes those for the faces of a field, first all receives, then all sends. A message has the number of
// the side at which it arrives.
func (w *Wave) prepareRequests(field int) error {
	for _, sends := range []bool{false, true} {
		for side, f := range w.faces {
			if f.neighbor == mpi.ProcNull {
				continue
			}
			if side < 2 {
				f.incoming = w.layer(field, w.ghostLayer(side))
				f.outgoing = w.layer(field, w.lastLayer(side))
			}
			var request *mpi.Persistent
			var err error
			if sends {
				request, err = mpi.SendInit(w.cart, f.outgoing, f.neighbor, side^1)
			} else {
				request, err = mpi.RecvInit(w.cart, f.incoming, f.neighbor, side)
			}
			if err != nil {
				return err
			}
			w.requests[field] = append(w.requests[field], request)
		}
	}
	return nil
}

func (w *Wave) ghostLayer(side int) int { return side % 2 * (w.n[side/2] + 1) }

// lastLayer is the one of this rank's points at a side.
func (w *Wave) lastLayer(side int) int {
	if side%2 == 0 {
		return 1
	}
	return w.n[side/2]
}

// layer is one across axis 0, without its ghost rows.
func (w *Wave) layer(field, i int) []float64 {
	return w.fields[field][w.at(i, 1, 0):][:w.facePoints(0)]
}

func (w *Wave) startExchange() error {
	begun := time.Now()
	for side := 2; side < numSides; side++ {
		if f := &w.faces[side]; f.neighbor != mpi.ProcNull {
			w.pack(f.outgoing, w.fields[w.current], side/2, w.lastLayer(side))
		}
	}
	err := mpi.Startall(w.requests[w.current])
	w.communication += time.Since(begun)
	return err
}

func (w *Wave) finishExchange() error {
	begun := time.Now()
	err := mpi.WaitallStarted(w.requests[w.current])
	for side := 2; side < numSides; side++ {
		if f := &w.faces[side]; f.neighbor != mpi.ProcNull {
			w.unpack(w.fields[w.current], f.incoming, side/2, w.ghostLayer(side))
		}
	}
	w.communication += time.Since(begun)
	return err
}
