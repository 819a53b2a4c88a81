// The inner product in Go: mpiexec -n 2 inner_product [--length ELEMENTS] [--iterations NUMBER]
package main

import (
	"fmt"
	"math"
	"time"

	"polympi/applications/innerproduct"
	"polympi/applications/internal/program"
	"polympi/bindings/go/mpi"
)

func main() {
	program.Main("inner_product", "[--length ELEMENTS] [--iterations NUMBER]", run)
}

// run computes, and says how long it took and how exact it is.
func run(world mpi.Comm) (right bool, err error) {
	var options program.Options
	length, iterations := options.Number("length", 1<<18), options.Number("iterations", 100)
	if err = options.Read(); err != nil {
		return false, err
	}
	product, err := innerproduct.New(world, *length)
	if err != nil {
		return false, err
	}
	times, err := measure(world, product, *iterations)
	if err != nil {
		return false, err
	}
	exact := 6*(*length/3) + [3]int{0, 1, 3}[*length%3]
	relative := []float64{math.Abs(product.Value()/float64(exact) - 1)}
	if err = mpi.Bcast(world, relative, 0); err != nil {
		return false, err
	}
	if ranks, elements := world.Size(), float64(*length)*float64(*iterations); world.Rank() == 0 {
		fmt.Printf("%d elements, %d times, %d rank%s\n", *length, *iterations, ranks, program.Plural(ranks))
		fmt.Printf("%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions\n", times[0],
			1e-6*elements/times[0], 100*times[1]/times[0])
		fmt.Printf("inner product: %.17g, relative error %.1e\n", product.Value(), relative[0])
	}
	// What is added up in another order differs in its last digits.
	return relative[0] <= 1e-12, product.Free()
}

// measure gives the seconds of the rank that takes longest: in all, and in reductions.
func measure(world mpi.Comm, product *innerproduct.InnerProduct, iterations int) ([]float64, error) {
	if err := product.Advance(1); err != nil { // finds the vectors in the cache, as later ones do
		return nil, err
	}
	before := product.Communication()
	if err := world.Barrier(); err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := product.Advance(iterations); err != nil {
		return nil, err
	}
	mine := []float64{time.Since(begun).Seconds(), (product.Communication() - before).Seconds()}
	longest := make([]float64, 2)
	return longest, mpi.Allreduce(world, mine, longest, mpi.Max)
}
