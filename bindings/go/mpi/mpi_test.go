package mpi

// These tests run on two ranks: go test -c ./mpi, then mpiexec -n 2 mpi.test.

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	// Tests are separate goroutines, one after the other.
	if err := Init(ThreadSerialized); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := Finalize(); err != nil {
		panic(err)
	}
	Exit(code)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		// The other rank would wait forever.
		fmt.Fprintf(os.Stderr, "%s on rank %d: %v\n", t.Name(), world.Rank(), err)
		world.Abort(1)
	}
}

func equal(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("rank %d has %v instead of %v", world.Rank(), found, expected)
	}
}

type place struct {
	Row, Column int32
	Weight      float64
	Name        [5]byte
	Alive       bool
}

func exchanged[T any](t *testing.T, values []T) {
	t.Helper()
	received, peer := make([]T, len(values)), 1-world.Rank()
	ok(t, Sendrecv(world, values, peer, 7, received, peer, 7))
	equal(t, received, values)
}

func TestAnyTypeOfFixedSizeCanBeSent(t *testing.T) {
	type celsius float32
	exchanged(t, []byte("bytes"))
	exchanged(t, []int{-1, 1 << 40})
	exchanged(t, []int16{-3, 4})
	exchanged(t, []uint64{1 << 63})
	exchanged(t, []celsius{-273.15})
	exchanged(t, []complex128{complex(1, -2)})
	exchanged(t, [][2]float64{{1, 2}, {3, 4}})
	exchanged(t, []place{{1, 2, 0.5, [5]byte{'h', 'e', 'r', 'e'}, true}, {3, 4, -1, [5]byte{'t'}, false}})
}

func TestWhatHoldsAddressesIsRefused(t *testing.T) {
	for _, err := range []error{
		Send(world, []string{"text"}, 0, 0),
		Send(world, []*int{nil}, 0, 0),
		Send(world, []struct{ Slice []int }{}, 0, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), "has no fixed size") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestAllWaysToSend(t *testing.T) {
	room, err := AllocMem[byte](1024 + BsendOverhead)
	ok(t, err)
	ok(t, AttachBuffer(room))
	message, received := []int64{10, 20}, make([]int64, 2)
	for i, send := range []func(Comm, []int64, int, int) error{Send[int64], Ssend[int64], Bsend[int64]} {
		if world.Rank() == 0 {
			ok(t, send(world, message, 1, i))
			continue
		}
		status, err := RecvStatus(world, received, AnySource, AnyTag)
		ok(t, err)
		equal(t, status, Status{Source: 0, Tag: i, Count: 2})
		equal(t, received, message)
	}
	ok(t, DetachBuffer())
	ok(t, FreeMem(room))
}

func TestRequests(t *testing.T) {
	out, in := []float64{1, 2, 3}, make([]float64, 6)
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&out[0])
	pins.Pin(&in[0])
	peer := 1 - world.Rank()
	first, err := Irecv(world, in[:3], peer, 1)
	ok(t, err)
	second, err := Irecv(world, in[3:], peer, 2)
	ok(t, err)
	late, err := Isend(world, out, peer, 2)
	ok(t, err)
	early, err := Issend(world, out, peer, 1)
	ok(t, err)
	requests := []Request{first, second, late, early}
	ok(t, Waitall(requests))
	equal(t, in, []float64{1, 2, 3, 1, 2, 3})
	if complete, err := requests[0].Test(); err != nil || !complete {
		t.Errorf("the request that was waited for gives %v, %v", complete, err)
	}
}

func TestPersistentRequests(t *testing.T) {
	out, in := []int32{0}, []int32{-1}
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&out[0])
	pins.Pin(&in[0])
	peer := 1 - world.Rank()
	sending, err := SendInit(world, out, peer, 3)
	ok(t, err)
	receiving, err := RecvInit(world, in, peer, 3)
	ok(t, err)
	for out[0] = range int32(3) {
		ok(t, receiving.Start())
		ok(t, sending.Start())
		ok(t, sending.Wait())
		ok(t, receiving.Wait())
		equal(t, in[0], out[0])
	}
	ok(t, sending.Free())
	ok(t, receiving.Free())
}

func TestPersistentRequestsOfOneCall(t *testing.T) {
	memory, err := AllocMem[int32](4)
	ok(t, err)
	out, in, peer := memory[:2], memory[2:], 1-world.Rank()
	var requests []*Persistent
	for i := range 2 {
		receiving, err := RecvInit(world, in[i:i+1], peer, i)
		ok(t, err)
		sending, err := SendInit(world, out[i:i+1], peer, i)
		ok(t, err)
		requests = append(requests, receiving, sending)
	}
	for turn := range int32(3) {
		out[0], out[1] = turn, -turn
		ok(t, Startall(requests))
		ok(t, WaitallStarted(requests))
		equal(t, in, []int32{turn, -turn})
	}
	for _, request := range requests {
		ok(t, request.Free())
	}
	ok(t, FreeMem(memory))
}

func TestMessageOfUnknownLength(t *testing.T) {
	for _, length := range []int{0, 1, 100_000} {
		if world.Rank() == 0 {
			ok(t, Send(world, slices.Repeat([]float64{0.5}, length), 1, 4))
			continue
		}
		message, status, err := RecvNew[float64](world, 0, 4)
		ok(t, err)
		equal(t, status.Count, length)
		equal(t, message, slices.Repeat([]float64{0.5}, length))
	}
}

func TestMessageLongerThanTheSliceIsAnError(t *testing.T) {
	if world.Rank() == 0 {
		ok(t, Send(world, []int64{1, 2, 3}, 1, 5))
		return
	}
	var failed *Error
	if err := Recv(world, make([]int64, 1), 0, 5); !errors.As(err, &failed) {
		t.Fatalf("the error is %v", err)
	}
	equal(t, failed.Operation, "Recv")
	if failed.Class == 0 || !strings.Contains(strings.ToLower(failed.Text), "trunc") {
		t.Errorf("the error is %v", failed)
	}
}

func TestCollectives(t *testing.T) {
	rank, root := int64(world.Rank()), world.Rank() == 0
	message := []int64{rank, 10}
	ok(t, Bcast(world, message, 1))
	equal(t, message, []int64{1, 10})
	sum := make([]int64, 1)
	ok(t, Allreduce(world, []int64{rank + 1}, sum, Sum))
	equal(t, sum, []int64{3})
	ok(t, Allreduce(world, []int64{rank + 1}, sum, Max))
	equal(t, sum, []int64{2})
	all := make([]int64, 2)
	ok(t, Allgather(world, []int64{rank * 5}, all))
	equal(t, all, []int64{0, 5})
	ok(t, Alltoall(world, []int64{rank, rank + 10}, all))
	equal(t, all, []int64{0 + 10*rank, 1 + 10*rank})
	var given, gathered []int64
	if root {
		given, gathered = []int64{7, 8}, make([]int64, 2)
	}
	ok(t, Scatter(world, given, sum, 0))
	equal(t, sum, []int64{7 + rank})
	ok(t, Gather(world, sum, gathered, 0))
	equal(t, gathered, given)
	product := make([]int64, 1)
	ok(t, Reduce(world, sum, product, Prod, 0))
	if root {
		equal(t, product, []int64{56})
	}
}

func TestLogicalOperations(t *testing.T) {
	found := make([]bool, 2)
	ok(t, Allreduce(world, []bool{true, world.Rank() == 0}, found, Land))
	equal(t, found, []bool{true, false})
	ok(t, Allreduce(world, []bool{false, world.Rank() == 0}, found, Lor))
	equal(t, found, []bool{false, true})
}

func TestMemoryThatIsNotThereIsAnError(t *testing.T) {
	var failed *Error
	if _, err := AllocMem[float64](1 << 50); !errors.As(err, &failed) {
		t.Fatalf("the error is %v", err)
	}
	equal(t, failed.Operation, "AllocMem")
}

func TestASliceThatIsTooShortIsRefused(t *testing.T) {
	for _, err := range []error{
		Allreduce(world, []int32{1, 2}, make([]int32, 1), Sum),
		Allgather(world, []int32{1, 2}, make([]int32, 3)),
		Alltoall(world, []int32{1, 2}, make([]int32, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), "elements") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestCollectivesOfUnknownLengths(t *testing.T) {
	rank := world.Rank()
	mine := slices.Repeat([]int32{int32(rank)}, rank+1) // as many as the rank, and one more
	var known []int32
	if rank == 0 {
		known = []int32{1, 2, 3}
	}
	message, err := BcastNew(world, known, 0)
	ok(t, err)
	equal(t, message, []int32{1, 2, 3})
	pieces, err := AllgatherNew(world, mine)
	ok(t, err)
	equal(t, pieces, [][]int32{{0}, {1, 1}})
	gathered, err := GatherNew(world, mine, 0)
	ok(t, err)
	if rank == 0 {
		equal(t, gathered, [][]int32{{0}, {1, 1}})
	} else {
		equal(t, gathered, [][]int32(nil))
	}
	piece, err := ScatterNew(world, gathered, 0)
	ok(t, err)
	equal(t, piece, mine)
	pieces, err = AlltoallNew(world, [][]int32{mine, {}})
	ok(t, err)
	equal(t, pieces, [][][]int32{{{0}, {1, 1}}, {{}, {}}}[rank])
}

func TestMeshes(t *testing.T) {
	dims := []int{0, 1}
	ok(t, DimsCreate(2, dims))
	equal(t, dims, []int{2, 1})
	mesh, err := world.CartCreate(dims, []bool{false, true}, false)
	ok(t, err)
	equal(t, []int{mesh.Rank(), mesh.Size()}, []int{world.Rank(), 2})
	coords, err := mesh.CartCoords(1)
	ok(t, err)
	equal(t, coords, []int{1, 0})
	before, behind, err := mesh.CartShift(0, 1)
	ok(t, err)
	equal(t, [2]int{before, behind}, [][2]int{{ProcNull, 1}, {0, ProcNull}}[mesh.Rank()])
	before, behind, err = mesh.CartShift(1, 1)
	ok(t, err)
	equal(t, [2]int{before, behind}, [2]int{mesh.Rank(), mesh.Rank()})
	received := []int64{-1}
	ok(t, Recv(mesh, received, ProcNull, 0))
	equal(t, received[0], int64(-1))
	ok(t, mesh.Free())
}

func TestRanksThatAreLeftOverAreInNoMesh(t *testing.T) {
	mesh, err := world.CartCreate([]int{1}, []bool{false}, false)
	ok(t, err)
	equal(t, mesh.Size(), 1-world.Rank())
	if mesh.Size() > 0 {
		ok(t, mesh.Free())
	}
}
