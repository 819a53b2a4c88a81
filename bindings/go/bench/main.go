// The benchmark program of package mpi: its timed loops. All else is the harness's.
//
//	mpiexec -n RANKS bench PLAN SAMPLES [--name NAME]
package main

/*
#include "glue.h"
#include <stdlib.h>
*/
import "C"

import (
	"os"
	"runtime"
	"time"

	"polympi/bindings/go/mpi"
)

var world mpi.Comm

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// readArguments gives the launch that the command line asks for.
func readArguments(arguments []string) C.struct_polympi_launch {
	launch := C.struct_polympi_launch{binding: C.CString("go"), opted_in: optedIn}
	usage := len(arguments) < 2
	for i := 2; i < len(arguments) && !usage; i++ {
		if usage = arguments[i] != "--name" || i+1 == len(arguments); !usage {
			i++
			launch.binding = C.CString(arguments[i])
		}
	}
	if usage {
		launch.complaint = C.CString("Usage: bench PLAN SAMPLES [--name NAME].")
	} else {
		launch.plan, launch.samples = C.CString(arguments[0]), C.CString(arguments[1])
	}
	return launch
}

func main() {
	runtime.LockOSThread() // all calls come from this thread, as funneled asks
	launch := readArguments(os.Args[1:])
	start := time.Now()
	must(mpi.Init(mpi.ThreadFunneled))
	launch.init_ns = C.int64_t(time.Since(start))
	world = mpi.World()
	must(world.Barrier())
	launch.ready_ns = C.polympi_clock()
	C.polympi_memory(&launch.pss_bytes, &launch.rss_bytes)
	code := C.glue_run(&launch)
	must(mpi.Finalize())
	mpi.Exit(int(code))
}
