"""Control information: what Pypar sent ahead of an object. No message needs it here; programs may still send it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from polympi.compat.pypar.constants import control_tag
from polympi.compat.pypar.start import comm


def create_control_info(x: Any, vanilla: bool = False, return_object: bool = False) -> Any:
    """What an object is: ``[protocol, typecode, size, shape]``.

    The protocol is ``array``, ``string``, or ``vanilla`` for what is pickled; the size is the number of elements, or of
    characters, or of bytes of the pickle.

    Returns:
        The list; with return_object, the pair of it and of the object, pickled if it is vanilla.
    """
    info: list[Any]
    if isinstance(x, np.ndarray) and not vanilla and not x.dtype.hasobject:
        info = ["array", x.dtype.char, x.size, x.shape]
    elif isinstance(x, str) and not vanilla:
        info = ["string", "c", len(x), (len(x),)]
    else:
        x = pickle.dumps(x, 2)
        info = ["vanilla", "c", len(x), (len(x),)]
    return (info, x) if return_object else info


def send_control_info(control_info: list[Any], destination: int) -> None:
    """Send such a list, to :func:`receive_control_info`."""
    comm.send(list(control_info), destination, control_tag)


def receive_control_info(source: int, return_source: bool = False) -> Any:
    """Receive such a list; with return_source, the pair of it and of the rank that has sent it."""
    info, status = comm.recv(source, control_tag, status=True)
    return (info, status.source) if return_source else info
