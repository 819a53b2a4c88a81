// Every rank says which it is: what a program needs before it does anything.
package main

import (
	"fmt"
	"os"

	"polympi/bindings/go/mpi"
)

func main() {
	if err := mpi.Init(mpi.ThreadSingle); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	world := mpi.World()
	fmt.Printf("Hello from rank %d of %d\n", world.Rank(), world.Size())
	mpi.Finalize()
	mpi.Exit(0)
}
