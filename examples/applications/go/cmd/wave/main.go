// The wave equation in Go: mpiexec -n 2 wave [--mesh POINTS] [--steps NUMBER] [--overlapped]
package main

import (
	"fmt"
	"math"
	"time"

	"polympi/applications/internal/program"
	"polympi/applications/wave"
	"polympi/bindings/go/mpi"
)

func main() {
	program.Main("wave", "[--mesh POINTS] [--steps NUMBER] [--overlapped]", run)
}

// run makes the steps, and says how long they took and how exact they are.
func run(world mpi.Comm) (right bool, err error) {
	var options program.Options
	edge, steps := options.Number("mesh", 129), options.Number("steps", 0)
	overlapped := options.Bool("overlapped", false, "")
	if err = options.Read(); err == nil && *edge < 2 {
		err = program.ErrUsage
	}
	if err != nil {
		return false, err
	}
	if *steps == 0 {
		*steps = int(math.Ceil(2 / wave.TimeStep(*edge))) // up to the time 2
	}
	solver, err := wave.New(world, *edge, *overlapped)
	if err != nil {
		return false, err
	}
	largest, err := measure(world, solver, *edge, *steps)
	if err != nil {
		return false, err
	}
	if world.Rank() == 0 {
		tell(largest, world.Size(), *edge, *steps, *overlapped)
	}
	return largest.fromScheme < 1e-11, solver.Free()
}

// figures are those of a rank, or the largest of all.
type figures struct{ seconds, exchange, fromScheme, fromWave float64 }

func measure(world mpi.Comm, solver *wave.Wave, edge, steps int) (figures, error) {
	if err := world.Barrier(); err != nil {
		return figures{}, err
	}
	begun := time.Now()
	if err := solver.Advance(steps); err != nil {
		return figures{}, err
	}
	seconds := time.Since(begun).Seconds()
	fromScheme, fromWave := errorsOf(solver.Part(), edge, steps)
	mine := []float64{seconds, solver.Communication().Seconds(), fromScheme, fromWave}
	most := make([]float64, len(mine))
	err := mpi.Allreduce(world, mine, most, mpi.Max)
	return figures{most[0], most[1], most[2], most[3]}, err
}

// errorsOf gives the largest differences of a part from the closed form of the scheme and from the wave itself.
func errorsOf(part wave.Part, edge, steps int) (fromScheme, fromWave float64) {
	h, dt := 1/float64(edge-1), wave.TimeStep(edge)
	a := dt * dt / (h * h)
	scheme := math.Cos(float64(steps) * math.Acos(1+3*a*(math.Cos(math.Pi*h)-1)))
	exact := math.Cos(math.Sqrt(3) * math.Pi * float64(steps) * dt)
	cosine := func(axis, i int) float64 { return math.Cos(math.Pi * float64(part.Start[axis]+i) * h) }
	for i := range part.Count[0] {
		for j := range part.Count[1] {
			two := 2 * cosine(0, i) * cosine(1, j)
			for k := range part.Count[2] {
				u := part.Values[i*part.Stride[0]+j*part.Stride[1]+k*part.Stride[2]]
				shape := two * cosine(2, k)
				fromScheme = max(fromScheme, math.Abs(u-shape*scheme))
				fromWave = max(fromWave, math.Abs(u-shape*exact))
			}
		}
	}
	return fromScheme, fromWave
}

func tell(largest figures, ranks, edge, steps int, overlapped bool) {
	mode := "blocking"
	if overlapped {
		mode = "overlapped"
	}
	n := float64(edge)
	fmt.Printf("%d^3 points, %d steps, %d rank%s, %s\n", edge, steps, ranks, program.Plural(ranks), mode)
	fmt.Printf("%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange\n", largest.seconds,
		1e-6*n*n*n*float64(steps)/largest.seconds, 100*largest.exchange/largest.seconds)
	fmt.Printf("largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave\n",
		largest.fromScheme, largest.fromWave, largest.fromWave*(n-1)*(n-1))
}
