"""What type checkers make of calls of the interface: `make lint` has them look, and nothing runs it.

A line with `type: ignore` is a mistake that a checker must find; it reports a comment that suppresses nothing.
"""

import asyncio
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import polympi as mpi

Floats = NDArray[np.float64]


def meshes(world: mpi.Communicator, size: int) -> None:
    # Ranks are left over only where all sizes are given.
    assert_type(world.cart((0, 0, 0)), mpi.Cartesian)
    assert_type(world.cart([0, None], periods=True), mpi.Cartesian)
    assert_type(world.cart(ndim=2), mpi.Cartesian)
    assert_type(world.cart(periods=(True, False)), mpi.Cartesian)
    assert_type(world.cart((2, 0)), mpi.Cartesian)
    assert_type(world.cart((size, 0, 1)), mpi.Cartesian)
    assert_type(world.cart((2, 3)), mpi.Cartesian | None)
    assert_type(world.cart((size,)), mpi.Cartesian | None)
    with world.cart((0, 0)) as cart:
        assert_type(cart.sub([0]), mpi.Cartesian)
        assert_type(cart.dup(), mpi.Cartesian)
        assert_type(cart.split(0), mpi.Communicator)
        assert_type(cart.halo(np.zeros((4, 4))), mpi.Halo)


def messages(world: mpi.Communicator, grid: Floats) -> None:
    assert_type(world.recv(), Any)
    assert_type(world.recv(0, into=grid), Floats)
    assert_type(world.recv(0, into=grid, status=True), tuple[Floats, mpi.Status])
    assert_type(world.recv(0, into=bytearray(5)), bytearray)
    world.recv(into="x")  # type: ignore[call-overload]
    world.recv(into=[1.0])  # type: ignore[call-overload]
    world.irecv(into=5)  # type: ignore[call-overload]
    world.raw.recv("x")  # type: ignore[call-overload]
    world.send(1, "0")  # type: ignore[arg-type]
    world.send(1)  # type: ignore[call-arg]


def requests(world: mpi.Communicator, grid: Floats) -> None:
    assert_type(world.isend(1, 0), mpi.Request[None])
    assert_type(world.isend(1, 0).wait(), None)
    assert_type(world.irecv().wait(), Any)
    assert_type(world.irecv(into=grid).wait(), Floats)
    assert_type(world.irecv(into=grid).wait(status=True), tuple[Floats, mpi.Status])
    assert_type(mpi.wait_all([world.irecv(into=grid)]), list[Floats])
    assert_type(mpi.wait_any([world.isend(1, 0)]), tuple[int, None])
    assert_type(mpi.wait_some([world.isend(1, 0)]), list[tuple[int, None]])
    for request in mpi.as_completed([world.irecv(into=grid)], timeout=5):
        assert_type(request.wait(), Floats)
    mpi.wait_some(world.irecv())  # type: ignore[arg-type]
    pending: list[mpi.Request] = [world.isend(1, 0), world.irecv(), world.irecv(into=grid)]
    assert_type(mpi.wait_all(pending), list[Any])


async def awaited(world: mpi.Communicator, grid: Floats) -> None:
    assert_type(await world.irecv(into=grid), Floats)
    assert_type(await world.isend(1, 0), None)
    assert_type(await world.iallreduce(grid), Floats)
    assert_type(await asyncio.wait_for(world.irecv(into=grid), 5), Floats)
    assert_type(await asyncio.gather(world.irecv(into=grid), world.isend(1, 0)), tuple[Floats, None])
    async for message in world.messages(tag=5):
        assert_type(message, Any)
    async for message, status in world.messages(status=True):
        assert_type((message, status), tuple[Any, mpi.Status])
    await world.recv  # type: ignore[misc]


def collectives(world: mpi.Communicator, grid: Floats, text: str | None) -> None:
    assert_type(world.scatter([1, 2]), int)
    assert_type(world.scatter(["a"] if world.rank == 0 else None), str)
    assert_type(world.scatter(grid if world.rank == 0 else None), Floats)
    assert_type(world.scatter(), Any)
    assert_type(world.scatter(into=grid), Floats)
    assert_type(world.bcast(text), str)
    assert_type(world.gather(1), list[int] | None)
    assert_type(world.gather(grid, into=grid), Floats | None)
    assert_type(world.allgather("a"), list[str])
    assert_type(world.alltoall([1, 2]), list[int])
    assert_type(world.allreduce(grid, mpi.MAX), Floats)
    assert_type(world.reduce(1.5, op=None), float | None)
    assert_type(world.reduce_scatter(grid), Floats)
    world.allreduce(1, op=max)  # type: ignore[call-overload]


def communicators(world: mpi.Communicator, color: int | None) -> None:
    assert_type(mpi.world, mpi.Communicator)
    assert_type(mpi.raw_world, mpi.Raw)
    assert_type(world.split(1), mpi.Communicator)
    assert_type(world.split(None), None)
    assert_type(world.split(color), mpi.Communicator | None)
    assert_type(world.subset(range(0, world.size, 2)), mpi.Communicator)
    assert_type(world.cart((0, 0)).subset([0, 1]), mpi.Communicator)
    assert_type(world.cart((0, 0)).split_by_host(), mpi.Communicator)
    assert_type(mpi.self_world.translate([0], world), list[int | None])
    assert_type(mpi.processor_name(), str)
    assert_type(world.compare(mpi.self_world), Literal["identical", "congruent", "similar", "unequal"])
    assert_type(world.create_intercomm(0, None, 1), mpi.Intercommunicator)
    assert_type(mpi.parent, mpi.Intercommunicator | None)
    with mpi.spawn(["worker", Path("input")], 2, timeout=9) as inter:
        assert_type(inter.recv(0, into=bytearray(3)), bytearray)
        assert_type(inter.isend(1, 0), mpi.Request[None])
        assert_type(inter.merge(True), mpi.Communicator)
    with world.open(Path("numbers"), "w+") as file:
        assert_type(file, mpi.File)
        assert_type(file.size, int)
        assert_type(file.read_at(0, into=bytearray(2)), bytearray)
        file.read_at("0", bytearray(2))  # type: ignore[arg-type]
    world.open(3)  # type: ignore[arg-type]
    world.subset(0)  # type: ignore[arg-type]
    world.attributes["cache"] = world.name
    world.name = 3  # type: ignore[assignment]
    world.attributes = {}  # type: ignore[misc]
    world.Get_rank()  # type: ignore[attr-defined]
    mpi.COMM_WORLD  # type: ignore[attr-defined]  # noqa: B018
