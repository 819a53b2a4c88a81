"""Messages from one rank to another: each is one message of polympi, which says by itself what it holds."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import polympi as mpi
from polympi.compat.pypar.buffers import array_given, array_of, filled, flat
from polympi.compat.pypar.constants import control_tag, default_tag
from polympi.compat.pypar.start import comm
from polympi.compat.pypar.status import Status, status_tuple

_send, _bsend, _recv = comm.send, comm.bsend, comm.recv
_ndarray = np.ndarray


def send(  # noqa: PLR0917  (the order of Pypar's arguments)
    x: object,
    destination: int,
    use_buffer: bool = False,  # noqa: ARG001  (the receiver needs no notice)
    vanilla: bool = False,  # noqa: ARG001  (nor does polympi, how to send an object)
    tag: int = default_tag,
    bypass: bool = False,
) -> None:
    """Send an object; with bypass, a sequence of numbers as an array.

    Raises:
        AssertionError: destination is no integer, or the tag is reserved.
    """
    if tag == control_tag:
        _refuse_tag(tag)
    if bypass and type(x) is not _ndarray:
        x = array_of(x, "send")
    try:
        _send(x, destination, tag)
    except TypeError:
        _must_be_integer("Destination", destination)
        raise


def bsend(  # noqa: PLR0917  (the order of Pypar's arguments)
    x: object,
    destination: int,
    use_buffer: bool = False,  # noqa: ARG001  (as in send)
    vanilla: bool = False,  # noqa: ARG001
    tag: int = default_tag,
    bypass: bool = False,
) -> None:
    """Send, and return at once: the message is copied into the buffer that was attached.

    Raises:
        AssertionError: destination is no integer, or the tag is reserved.
        NoBufferError: no buffer is attached, or it has too little room.
    """
    if tag == control_tag:
        _refuse_tag(tag)
    if bypass:
        x = array_of(x, "bsend")
    try:
        _bsend(x, destination, tag)
    except TypeError:
        _must_be_integer("Destination", destination)
        raise


def receive(  # noqa: PLR0917  (the order of Pypar's arguments)
    source: int,
    buffer: Any = None,
    vanilla: bool = False,
    tag: int = default_tag,
    return_status: bool = False,
    bypass: bool = False,
) -> Any:
    """Receive a message.

    An array as the buffer is filled, and returned. A text as the buffer gives the length of the result, see
    :func:`polympi.compat.pypar.buffers.filled`. With any other buffer, with none, or with vanilla, the object that
    came is returned.

    Returns:
        The object, or the pair of it and its :class:`Status`.

    Raises:
        AssertionError: source is no integer, or the tag is reserved.
    """
    if tag == control_tag:
        _refuse_tag(tag)
    try:
        if type(buffer) is _ndarray and not (vanilla or return_status):
            _recv(source, tag, into=buffer if buffer.ndim == 1 else flat(buffer))
            return buffer
        if bypass:
            array_given(buffer, "receive")
        if return_status:
            return _receive_with_status(source, buffer, vanilla, tag)
        if buffer is None:
            return _recv(source, tag)
        if isinstance(buffer, _ndarray) and not vanilla:
            _recv(source, tag, into=flat(buffer))
            return buffer
        got = _recv(source, tag)
        return buffer if source == mpi.PROC_NULL else filled(buffer, got, "receive")
    except TypeError:
        _must_be_integer("Source", source)
        raise


def _receive_with_status(source: int, buffer: Any, vanilla: bool, tag: int) -> tuple[Any, Status]:
    if isinstance(buffer, _ndarray) and not vanilla:
        _, status = _recv(source, tag, into=flat(buffer), status=True)
        return buffer, Status(status_tuple(status, buffer))
    got, status = _recv(source, tag, status=True)
    whole = buffer if source == mpi.PROC_NULL else filled(buffer, got, "receive")
    return whole, Status(status_tuple(status, got))


def _must_be_integer(what: str, given: object) -> None:
    try:
        operator.index(given)  # type: ignore[arg-type]  # that is what is found out
    except TypeError:
        raise AssertionError(f"{what} id ({given!r}) must be an integer.") from None


def _refuse_tag(tag: int) -> None:
    raise AssertionError(f"Tag {tag} is reserved by Pypar for control information: use another one.")
