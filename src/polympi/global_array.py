"""A global array on one rank of a mesh, and its blocks on all: from one to the other."""

from __future__ import annotations

from polympi.block import block_of
from polympi.deadline import Deadline
from polympi.errors import Timeout
from polympi.topology import mismatch, wait_each

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from polympi.block import Block
    from polympi.cartesian import Cartesian
    from polympi.topology import Topology

    Facts = tuple[tuple[int, ...], Any]  # shape and dtype of an array


def gather(
    cart: Cartesian, u: NDArray[Any], root: int, into: NDArray[Any] | None, timeout: float | None
) -> NDArray[Any] | None:
    """What :meth:`Cartesian.gather_blocks` does."""
    deadline = Deadline("gather_blocks", timeout)
    cart.coords_of(root)
    tag = cart.next_tag()
    target = _facts(into, "into", writable=True) if cart.rank == root and into is not None else None
    facts = cart._private.allgather((root, _facts(u, "u"), target), timeout=deadline.left())
    shape, kind = _whole(cart, facts, root)
    blocks = [block_of(shape, cart.dims, cart.coords_of(rank)) for rank in range(cart.size)]
    if cart.rank != root:
        if blocks[cart.rank].size:
            _wait(cart, "gather_blocks", [cart._private.isend(u, root, tag)], [root], deadline)
        return None
    import numpy as np

    array = np.empty(shape, np.dtype(kind)) if into is None else into
    array[blocks[root].slices] = u  # first, since `u` may lie in `into`
    senders = [rank for rank, block in enumerate(blocks) if block.size and rank != root]
    receives = [cart._private.irecv(rank, tag, into=array[blocks[rank].slices]) for rank in senders]
    _wait(cart, "gather_blocks", receives, senders, deadline)
    return array


def _whole(cart: Cartesian, facts: list[tuple[int, Facts | str, Facts | str | None]], root: int) -> Facts:
    """Shape and dtype of the global array, of what all ranks have; the same on all ranks, also an error."""
    blocks: list[Facts] = []
    target = facts[root][2]
    for rank, (named, block, _) in enumerate(facts):
        if named != root:
            raise mismatch(cart, "gather_blocks", f"rank {rank} names the root {named}, but this rank {root}")
        if isinstance(block, str):
            raise mismatch(cart, "gather_blocks", f"on rank {rank}, {block}")
        blocks.append(block)
    if isinstance(target, str):
        raise mismatch(cart, "gather_blocks", f"on rank {root}, {target}")
    first, kind = target or blocks[0]
    axes = len(first)
    for rank, (extents, other) in enumerate(blocks):
        if len(extents) != axes or axes < len(cart.dims):
            raise mismatch(cart, "gather_blocks", f"the block of rank {rank} has {len(extents)} axes, but "
                           f"{'that of rank 0' if target is None else 'into'} {axes}, and the mesh {len(cart.dims)}")  # fmt: skip
        if other != kind:
            whose = "that of rank 0" if target is None else "into"
            raise mismatch(cart, "gather_blocks", f"the block of rank {rank} is of {other}, but {whose} of {kind}")
    shape = first if target else tuple(_extent(cart, blocks, axis) for axis in range(axes))
    for rank, (extents, _) in enumerate(blocks):
        due = block_of(shape, cart.dims, cart.coords_of(rank)).shape
        if due != extents:
            raise mismatch(
                cart,
                "gather_blocks",
                f"the block of rank {rank} has the shape {extents}, but in an array of shape {shape} on the mesh "
                f"{cart.dims} it has {due}: give each rank's part as block() divides the array, without ghost layers",
            )
    return shape, kind


def _extent(cart: Cartesian, blocks: list[Facts], axis: int) -> int:
    """How long the global array is along an axis: as all blocks in the row that begins with rank 0."""
    if axis >= len(cart.dims):
        return blocks[0][0][axis]
    row = ([coord if axis == other else 0 for other in range(len(cart.dims))] for coord in range(cart.dims[axis]))
    return sum(blocks[cart.rank_of(coords)][0][axis] for coords in row)


def scatter(
    cart: Cartesian, a: NDArray[Any] | None, root: int, into: NDArray[Any] | None, timeout: float | None
) -> NDArray[Any]:
    """What :meth:`Cartesian.scatter_blocks` does."""
    deadline = Deadline("scatter_blocks", timeout)
    cart.coords_of(root)
    tag = cart.next_tag()
    facts = cart._private.bcast(_divisible(cart, a) if cart.rank == root else None, root, timeout=deadline.left())
    if isinstance(facts, str):
        raise mismatch(cart, "scatter_blocks", f"on rank {root}, {facts}")
    shape, kind = facts
    blocks = [block_of(shape, cart.dims, cart.coords_of(rank)) for rank in range(cart.size)]
    mine = blocks[cart.rank]
    problem = None if into is None else _misfit(into, mine, kind)
    if a is not None and cart.rank == root:
        received = _give(cart, a, blocks, tag, None if problem else into, deadline)
    else:
        received = _take(cart, mine, kind, root, tag, None if problem else into, deadline)
    if problem:
        raise mismatch(cart, "scatter_blocks", problem)
    return received


def _give(
    cart: Cartesian, a: NDArray[Any], blocks: list[Block], tag: int, into: NDArray[Any] | None, deadline: Deadline
) -> NDArray[Any]:
    """Send all blocks but the own, which is copied."""
    takers = [rank for rank, block in enumerate(blocks) if block.size and rank != cart.rank]
    sends = [cart._private.isend(a[blocks[rank].slices], rank, tag) for rank in takers]
    import numpy as np

    own = a[blocks[cart.rank].slices]
    apart = into is None or np.may_share_memory(into, a)
    if apart:
        own = own.copy("K")
    _wait(cart, "scatter_blocks", sends, takers, deadline)
    if into is None:
        return own
    into[...] = own  # only now, since it may lie in what is sent
    return into


def _take(
    cart: Cartesian, block: Block, kind: Any, root: int, tag: int, into: NDArray[Any] | None, deadline: Deadline
) -> NDArray[Any]:
    """Receive the own block."""
    if not block.size:
        import numpy as np

        return np.empty(block.shape, np.dtype(kind)) if into is None else into
    receive = cart._private.irecv(root, tag, into=into)
    _wait(cart, "scatter_blocks", [receive], [root], deadline)
    received: NDArray[Any] = receive.wait()
    return received


def _wait(cart: Topology, operation: str, requests: list[Any], peers: list[int], deadline: Deadline) -> None:
    """Wait for all requests, with these ranks."""
    try:
        wait_each(requests, deadline)
    except Timeout as error:
        missing = [peer for peer, request in zip(peers, requests, strict=True) if not request.done]
        raise cart.timed_out(operation, missing, error, deadline) from None
    for request in requests:
        request.wait()  # raises its error


def _facts(array: object, name: str, *, writable: bool = False) -> Facts | str:
    """Shape and dtype of an array, or why it is none that can be sent from here and received in place."""
    import numpy as np

    if not isinstance(array, np.ndarray):
        return f"{name} must be an array, not {type(array).__name__}"
    if array.dtype.hasobject:
        return f"{name} must be an array of plain elements, not of {array.dtype}"
    if type(array).__reduce__ is not np.ndarray.__reduce__:
        return f"{name} must be a plain array, not {type(array).__name__}"
    if writable and not array.flags.writeable:
        return f"{name} must be writable"
    return array.shape, _kind(array.dtype)


def _kind(dtype: np.dtype[Any]) -> Any:
    """A dtype as what is sent fast and compared: its text says all of those without fields."""
    return dtype if dtype.names else dtype.str


def _divisible(cart: Cartesian, array: object) -> Facts | str:
    facts = _facts(array, "a")
    if not isinstance(facts, str) and len(facts[0]) < len(cart.dims):
        return f"a has {len(facts[0])} axes, but the mesh {cart.dims} has {len(cart.dims)}"
    return facts


def _misfit(into: object, block: Block, kind: Any) -> str | None:
    """Why a block cannot be received there; None if it can."""
    facts = _facts(into, "into", writable=True)
    if isinstance(facts, str):
        return facts
    if facts != (block.shape, kind):
        return f"into has shape {facts[0]} and dtype {facts[1]}, but the block has {block.shape} and {kind}"
    return None
