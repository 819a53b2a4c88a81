package main

import "runtime"

// pinned copies messages into memory of Go that stays where it is until it is unpinned.
func pinned[T any](shown messages[T]) (messages[T], *runtime.Pinner) {
	pins := &runtime.Pinner{}
	values := messages[T]{out: append([]T(nil), shown.out...), in: make([]T, len(shown.in))}
	for _, slice := range [][]T{values.out, values.in} {
		if len(slice) > 0 {
			pins.Pin(&slice[0])
		}
	}
	return values, pins
}
