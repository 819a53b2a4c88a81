package main

/*
#include "glue.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// loops are what a case does on a rank: an iteration, and what is needed before and after.
type loops struct {
	begin   func() // before a series of iterations: make requests, post what a ready send needs
	iterate func()
	end     func()
	show    func() // puts objects that arrived, or the result of an application, where the harness checks them
	release func()

	communication func() time.Duration // that an application has spent in it so far
}

var (
	running    loops // of the case that is running
	collective bool
)

func do(f func()) {
	if f != nil {
		f()
	}
}

// nanotime is the clock of the harness, CLOCK_MONOTONIC in ns, without the cost of a call into C.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

//export goRefuse
func goRefuse(c *C.struct_polympi_case) *C.char { return refuse(c) }

//export goPrepare
func goPrepare(c *C.struct_polympi_case, buffers *C.struct_polympi_buffers) {
	running = prepare(c, buffers)
	collective = c.kind == C.POLYMPI_JOINT || c.kind == C.POLYMPI_ROOTED
}

//export goBegin
func goBegin() { do(running.begin) }

//export goEnd
func goEnd() { do(running.end) }

//export goShow
func goShow() { do(running.show) }

//export goRelease
func goRelease() {
	do(running.release)
	running = loops{}
}

//export goCommunication
func goCommunication() C.int64_t { return C.int64_t(running.communication()) }

//export goBatch
func goBatch(iterations C.int32_t) {
	iterate := running.iterate
	for range iterations {
		iterate()
	}
}

//export goSingly
func goSingly(iterations C.int32_t, ns *C.int64_t) {
	times := unsafe.Slice((*int64)(unsafe.Pointer(ns)), iterations)
	if collective {
		fromCommonStart(running.iterate, times)
	} else {
		oneByOne(running.iterate, times)
	}
}

func oneByOne(iterate func(), times []int64) {
	for i := range times {
		start := nanotime()
		iterate()
		times[i] = nanotime() - start
	}
}

// fromCommonStart times calls of all ranks; one that a rank began too late is made again.
func fromCommonStart(iterate func(), times []int64) {
	C.common_start_agree()
	for i := 0; i < len(times); {
		for range C.UNTIMED_CALLS {
			iterate()
		}
		start := int64(C.common_start_wait())
		iterate()
		times[i] = nanotime() - start
		i += int(C.common_start_agree())
	}
}
