package mpi

/*
#include "calls.h"
*/
import "C"

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// Datatype describes to the C library how something lies in memory.
type Datatype struct{ handle C.handle }

var (
	typeByte    = C.go_byte()
	typeInt32   = C.go_int32()
	typeInt64   = C.go_int64()
	typeFloat32 = C.go_float32()
	typeFloat64 = C.go_float64()
)

var kinds = map[reflect.Kind]C.handle{
	reflect.Bool: C.go_bool(),
	reflect.Int8: C.go_int8(), reflect.Int16: C.go_int16(), reflect.Int32: typeInt32, reflect.Int64: typeInt64,
	reflect.Uint8: typeByte, reflect.Uint16: C.go_uint16(), reflect.Uint32: C.go_uint32(), reflect.Uint64: C.go_uint64(),
	reflect.Int: wordType(typeInt32, typeInt64), reflect.Uint: wordType(C.go_uint32(), C.go_uint64()),
	reflect.Float32: typeFloat32, reflect.Float64: typeFloat64,
	reflect.Complex64: C.go_complex64(), reflect.Complex128: C.go_complex128(),
}

func wordType(of32, of64 C.handle) C.handle {
	if unsafe.Sizeof(0) == 4 {
		return of32
	}
	return of64
}

// TypeOf is the datatype of T. It is made when it is first asked for, and lasts as long as the program.
func TypeOf[T any]() (Datatype, error) {
	t, err := typeOf[T]()
	return Datatype{t}, err
}

// typeOf is called for each message, so that the usual types are found without a table.
func typeOf[T any]() (C.handle, error) {
	switch any((*T)(nil)).(type) {
	case *byte:
		return typeByte, nil
	case *int32:
		return typeInt32, nil
	case *int64:
		return typeInt64, nil
	case *float32:
		return typeFloat32, nil
	case *float64:
		return typeFloat64, nil
	}
	return lookUp(reflect.TypeFor[T]())
}

var derived sync.Map // from reflect.Type to C.handle, committed

func lookUp(t reflect.Type) (C.handle, error) {
	if known, ok := derived.Load(t); ok {
		return known.(C.handle), nil
	}
	made, err := describe(t)
	if err == nil {
		err = check("TypeOf", C.go_commit(made))
	}
	if err != nil {
		return 0, err
	}
	kept, _ := derived.LoadOrStore(t, made)
	return kept.(C.handle), nil
}

// describe makes the datatype of a type of fixed size.
func describe(t reflect.Type) (C.handle, error) {
	switch t.Kind() {
	case reflect.Array:
		element, err := describe(t.Elem())
		if err != nil {
			return 0, err
		}
		made := C.go_contiguous(C.int(t.Len()), element)
		return made.made, check("TypeOf", made.code)
	case reflect.Struct:
		return describeStruct(t)
	}
	if kind, ok := kinds[t.Kind()]; ok {
		return kind, nil
	}
	return 0, fmt.Errorf("mpi: %v has no fixed size, or holds an address, so it cannot be sent as it lies", t)
}

func describeStruct(t reflect.Type) (C.handle, error) {
	fields := t.NumField()
	places, types := make([]C.int64_t, fields), make([]C.handle, fields)
	for i := range fields {
		field := t.Field(i)
		of, err := describe(field.Type)
		if err != nil {
			return 0, err
		}
		places[i], types[i] = C.int64_t(field.Offset), of
	}
	made := C.go_struct(C.int(fields), unsafe.SliceData(places), unsafe.SliceData(types), C.int64_t(t.Size()))
	return made.made, check("TypeOf", made.code)
}

// Subarray makes the datatype of a part of an array of T in C order: sizes are those of the array, part those of the
// part, and from its first place in each dimension.
func Subarray[T any](sizes, part, from []int) (Datatype, error) {
	of, err := typeOf[T]()
	if err != nil {
		return Datatype{}, err
	}
	if len(part) != len(sizes) || len(from) != len(sizes) || len(sizes) == 0 {
		return Datatype{}, fmt.Errorf("mpi.Subarray: sizes, part and from need one number for each dimension")
	}
	made := C.go_subarray(C.int(len(sizes)), &ints(sizes)[0], &ints(part)[0], &ints(from)[0], of)
	if err = check("Subarray", made.code); err == nil {
		err = check("Subarray", C.go_commit(made.made))
	}
	return Datatype{made.made}, err
}

// Free frees a datatype of [Subarray].
func (t Datatype) Free() error {
	return check("Datatype.Free", C.go_type_free(t.handle))
}

func ints(numbers []int) []C.int {
	converted := make([]C.int, len(numbers))
	for i, number := range numbers {
		converted[i] = C.int(number)
	}
	return converted
}

// address of what a slice holds. T holds no pointers, which typeOf has found out, so cgo need not look for any.
func address[T any](slice []T) *C.byte {
	return (*C.byte)(unsafe.Pointer(unsafe.SliceData(slice)))
}

// describeMessage tells the C library what a slice is.
func describeMessage[T any](slice []T) (C.int, C.handle, error) {
	if len(slice) > math.MaxInt32 {
		return 0, 0, fmt.Errorf("mpi: a message of %d elements is longer than an int of C counts", len(slice))
	}
	t, err := typeOf[T]()
	return C.int(len(slice)), t, err
}
