// Package program is what the main programs share: the start and the end of MPI, and the command line.
package program

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"

	"polympi/bindings/go/mpi"
)

// ErrUsage is for options that have no meaning.
var ErrUsage = errors.New("usage")

// Main runs a program between the start and the end of MPI. What run returns is the same on all ranks, and gives the
// exit code: 0, or 1 if the result is wrong, or 2 if there is none. An error of MPI itself ends all ranks.
func Main(name, usage string, run func(world mpi.Comm) (right bool, err error)) {
	runtime.LockOSThread() // all calls come from this thread, as funneled asks
	if err := mpi.Init(mpi.ThreadFunneled); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	world := mpi.World()
	right, err := run(world)
	code, complaint := 0, ""
	var failed *mpi.Error
	switch {
	case errors.As(err, &failed):
		fmt.Fprintf(os.Stderr, "%s: %v on rank %d.\n", name, err, world.Rank())
		world.Abort(1)
	case errors.Is(err, ErrUsage):
		code, complaint = 2, "usage: "+name+" "+usage
	case err != nil:
		code, complaint = 2, name+": "+err.Error()+"."
	case !right:
		code, complaint = 1, "The result is wrong."
	}
	if complaint != "" && world.Rank() == 0 {
		fmt.Fprintln(os.Stderr, complaint)
	}
	if err := mpi.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	mpi.Exit(code)
}

// Options is a command line, of which nothing is printed.
type Options struct{ flag.FlagSet }

// Number is an option with a positive number, which keeps its value where it is not given.
func (o *Options) Number(name string, value int) *int {
	o.Func(name, "", func(word string) (err error) {
		if value, err = strconv.Atoi(word); err == nil && value < 1 {
			err = strconv.ErrRange
		}
		return err
	})
	return &value
}

// Read reads the command line.
func (o *Options) Read() error {
	o.SetOutput(io.Discard)
	if o.Parse(os.Args[1:]) != nil || o.NArg() > 0 {
		return ErrUsage
	}
	return nil
}

// Plural ends a noun behind a number.
func Plural(number int) string {
	if number == 1 {
		return ""
	}
	return "s"
}
