package wave

import (
	"syscall"
	"unsafe"
)

// numbersPerPage are as many as a page of memory holds.
const numbersPerPage = 4096 / 8

// askForHugePages is for memory that was not touched yet: a plane is then in few pages, and the processor knows where
// these are. It is advice, so that nothing happens where Linux has no huge pages.
func askForHugePages(memory []float64) {
	begin := int(uintptr(unsafe.Pointer(unsafe.SliceData(memory))) / 8 % numbersPerPage)
	if before := (numbersPerPage - begin) % numbersPerPage; before < len(memory) {
		pages := memory[before:]
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(pages))), 8*len(pages))
		_ = syscall.Madvise(bytes, syscall.MADV_HUGEPAGE)
	}
}
