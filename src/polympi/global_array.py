"""Gathering and scattering the blocks of a global array on a mesh.

Blocks are sent from and received in the program's arrays, without copies.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from polympi.block import block_of
from polympi.deadline import Deadline
from polympi.errors import MismatchError, Timeout
from polympi.exchange import taken
from polympi.topology import mismatch, wait_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from polympi.block import Block
    from polympi.mesh_topology import MeshTopology
    from polympi.native import core

    Metadata = tuple[tuple[int, ...], Any]  # shape and dtype of an array
    # per rank: the root; its block and `into`, or what is wrong with them
    Reported = tuple[int, Metadata | str, Metadata | str | None]


class _Call:
    """One call on one rank; on all of a mesh it has the same tag."""

    def __init__(self, cart: MeshTopology, operation: str, root: int, timeout: float | None) -> None:
        self.deadline = Deadline(operation, timeout)
        cart.coords_of(root)  # it has the root
        self.cart = cart
        self.comm = cart._private
        self.operation = operation
        self.root = root
        self.is_root = cart.rank == root
        self.tag = cart.next_tag()
        cart._late = [request for request in cart._late if not taken(request)]
        self.others = [rank for rank in range(cart.size) if rank != root]

    @contextmanager
    def agreement(self, senders: Iterable[int]) -> Iterator[None]:
        """The part of the call in which ranks exchange metadata, before these senders send to this rank."""
        try:
            yield
        except Timeout as error:  # others may continue, and send what is no longer received
            self.cart._late += [self.comm.irecv(rank, self.tag) for rank in senders]
            raise self.cart.timed_out(self.operation, [], error, self.deadline) from None

    def send(self, blocks: dict[int, NDArray[Any]]) -> None:
        """Send to these ranks."""
        requests = {rank: self.comm.isend(block, rank, self.tag) for rank, block in blocks.items()}
        self._wait(requests)
        for request in requests.values():
            request.wait()

    def receive(self, targets: dict[int, NDArray[Any] | None]) -> list[NDArray[Any]]:
        """Receive from these ranks, in the arrays if there are any; errors are raised when all have arrived."""
        requests = {rank: self.comm.irecv(rank, self.tag, into=into) for rank, into in targets.items()}
        try:
            self._wait(requests)
        except BaseException:
            for rank, request in requests.items():  # late messages must not be written to the program's arrays
                if not taken(request):
                    self.cart._late.append(self.comm.irecv(rank, self.tag) if request.cancel() else request)
            raise
        return [request.wait() for request in requests.values()]

    def _wait(self, requests: dict[int, core.Request]) -> None:
        try:
            wait_each(list(requests.values()), self.deadline)
        except Timeout as error:
            missing = [rank for rank, request in requests.items() if not taken(request)]
            raise self.cart.timed_out(self.operation, missing, error, self.deadline) from None

    def blocks(self, shape: tuple[int, ...]) -> list[Block]:
        """The blocks of all ranks."""
        return [block_of(shape, self.cart.dims, self.cart.coords_of(rank)) for rank in range(self.cart.size)]

    def mismatch(self, sentence: str) -> MismatchError:
        return mismatch(self.cart, self.operation, sentence)


def gather(
    cart: MeshTopology, u: NDArray[Any], root: int, into: NDArray[Any] | None, timeout: float | None
) -> NDArray[Any] | None:
    """What :meth:`Cartesian.gather_blocks` does."""
    call = _Call(cart, "gather_blocks", root, timeout)
    target = metadata_of(into, "into", writable=True) if call.is_root and into is not None else None
    with call.agreement(call.others if call.is_root else ()):
        reported = call.comm.allgather((root, metadata_of(u, "u"), target), timeout=call.deadline.left())
    shape, kind = _whole(call, reported)
    blocks = call.blocks(shape)
    if not call.is_root:
        call.send({root: u})
        return None
    array = np.empty(shape, np.dtype(kind)) if into is None else into
    array[blocks[root].slices] = u  # first, since `u` may lie in `into`
    call.receive({rank: array[blocks[rank].slices] for rank in call.others})
    return array


def _whole(call: _Call, reported: list[Reported]) -> Metadata:
    """Shape and dtype of the global array, from all ranks' metadata; the same result or error on all."""
    blocks: list[Metadata] = []
    for rank, (root, block, _) in enumerate(reported):
        if root != call.root:
            raise call.mismatch(f"rank {rank} names the root {root}, but this rank {call.root}")
        if isinstance(block, str):
            raise call.mismatch(f"on rank {rank}, {block}")
        blocks.append(block)
    target = reported[call.root][2]
    if isinstance(target, str):
        raise call.mismatch(f"on rank {call.root}, {target}")
    (first, kind), whose = (target, "into") if target else (blocks[0], "that of rank 0")
    dims = call.cart.dims
    for rank, (extents, other) in enumerate(blocks):
        if len(extents) != len(first):
            raise call.mismatch(f"the block of rank {rank} has {len(extents)} axes, but {whose} {len(first)}")
        if other != kind:
            raise call.mismatch(f"the block of rank {rank} is of {other}, but {whose} of {kind}")
    if len(first) < len(dims):
        raise call.mismatch(f"blocks have {len(first)} axes, but the mesh {dims} has {len(dims)}")
    shape = target[0] if target else tuple(_extent(call.cart, blocks, axis) for axis in range(len(first)))
    for rank, (block, due) in enumerate(zip(blocks, call.blocks(shape), strict=True)):
        if block[0] != due.shape:
            raise call.mismatch(
                f"the block of rank {rank} has the shape {block[0]}, but in an array of shape {shape} on the mesh "
                f"{dims} it has {due.shape}: give each rank's part as block() divides the array, without ghost layers"
            )
    return shape, kind


def _extent(cart: MeshTopology, blocks: list[Metadata], axis: int) -> int:
    """The global array's extent along an axis: the sum of the blocks in the row that begins with rank 0."""
    if axis >= len(cart.dims):
        return blocks[0][0][axis]
    row = ([coord if axis == other else 0 for other in range(len(cart.dims))] for coord in range(cart.dims[axis]))
    return sum(blocks[cart.rank_of(coords)][0][axis] for coords in row)


def scatter(
    cart: MeshTopology, a: NDArray[Any] | None, root: int, into: NDArray[Any] | None, timeout: float | None
) -> NDArray[Any]:
    """What :meth:`Cartesian.scatter_blocks` does."""
    call = _Call(cart, "scatter_blocks", root, timeout)
    metadata: Any = _divisible(cart, a) if call.is_root else None
    with call.agreement(() if call.is_root else [root]):
        metadata = call.comm.bcast(metadata, root, timeout=call.deadline.left())
    if isinstance(metadata, str):
        raise call.mismatch(f"on rank {root}, {metadata}")
    shape, kind = metadata
    blocks = call.blocks(shape)
    problem = None if into is None else _misfit(into, blocks[cart.rank], kind)
    target = None if problem else into
    if call.is_root and a is not None:
        received = _give(call, a, blocks, target)
    else:
        (received,) = call.receive({root: target})
    if problem:  # the block has arrived anyway, so that the root doesn't hang
        raise call.mismatch(problem)
    return received


def _give(call: _Call, a: NDArray[Any], blocks: list[Block], into: NDArray[Any] | None) -> NDArray[Any]:
    """Send all blocks but the root's own, which is copied."""
    own = a[blocks[call.root].slices]
    if into is None or np.may_share_memory(into, a):
        own = own.copy("K")
    call.send({rank: a[blocks[rank].slices] for rank in call.others})
    if into is None:
        return own
    into[...] = own  # only now, since it may overlap with what is sent
    return into


def whole_of_blocks(cart: MeshTopology, operation: str, u: object) -> Metadata:
    """Shape and dtype of the global array whose blocks the ranks have, each its own. All ranks call it."""
    call = _Call(cart, operation, 0, None)
    with call.agreement(()):
        mine: Reported = (0, metadata_of(u, "array"), None)
        reported = call.comm.allgather(mine, timeout=call.deadline.left())
    return _whole(call, reported)


def metadata_of(array: object, name: str, *, writable: bool = False) -> Metadata | str:
    """Shape and dtype of an array, or why it can't be sent or received in."""
    if not isinstance(array, np.ndarray):
        return f"{name} must be an array, not {type(array).__name__}"
    if array.dtype.hasobject:
        return f"{name} must be an array of plain elements, not of {array.dtype}"
    if type(array).__reduce__ is not np.ndarray.__reduce__:
        return f"{name} must be a plain array, not {type(array).__name__}"
    if writable and not array.flags.writeable:
        return f"{name} must be writable"
    return array.shape, array.dtype if array.dtype.names else array.dtype.str  # text is sent faster


def _divisible(cart: MeshTopology, array: object) -> Metadata | str:
    """Shape and dtype of a global array, or why it can't be divided."""
    metadata = metadata_of(array, "a")
    if not isinstance(metadata, str) and len(metadata[0]) < len(cart.dims):
        return f"a has {len(metadata[0])} axes, but the mesh {cart.dims} has {len(cart.dims)}"
    return metadata


def _misfit(into: object, block: Block, kind: Any) -> str | None:
    """Why a block cannot be received there; None if it can."""
    metadata = metadata_of(into, "into", writable=True)
    if isinstance(metadata, str):
        return metadata
    if metadata != (block.shape, kind):
        return f"into has shape {metadata[0]} and dtype {metadata[1]}, but the block has {block.shape} and {kind}"
    return None
