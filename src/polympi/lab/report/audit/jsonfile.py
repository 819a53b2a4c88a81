"""An audit as JSON, with the fields of :mod:`polympi.lab.audit.model`; and back."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec
import numpy as np

from polympi.lab.audit.model import Audit
from polympi.lab.decoding import what_is_wrong
from polympi.lab.errors import ResultError, system_reason

FORMAT = 1


class Document(msgspec.Struct):
    """The file: who wrote it, in which format, and the audit."""

    polympi: str
    format: int
    audit: Audit


class _Sparse(msgspec.Struct):
    """A matrix: its shape, and [row, column, value] of all that isn't zero."""

    shape: tuple[int, int]
    cells: list[tuple[int, int, int]]


def render_json(audit: Audit) -> str:
    """The file's text: arrays are lists, a matrix is its shape and what isn't zero."""
    document = Document(metadata.version("polympi"), FORMAT, audit)
    return msgspec.json.encode(document, enc_hook=_plain).decode("utf-8") + "\n"


def read_json(path: Path) -> Audit:
    """The audit in a file; ResultError if it can't be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Document, dec_hook=_array).audit
    except OSError as error:
        raise ResultError(f"Cannot read '{path}': {system_reason(error)}.") from error
    except ValueError as error:
        raise ResultError(f"'{path}' isn't an audit of polympi: {what_is_wrong(error)}.") from error


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 2:
        rows, columns = np.nonzero(value)
        cells = np.stack([rows, columns, value[rows, columns]], axis=1)
        return {"shape": list(value.shape), "cells": cells.tolist()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise NotImplementedError(f"JSON has no {type(value).__name__}")


def _array(kind: type[Any], value: Any) -> Any:
    if (get_origin(kind) or kind) is not np.ndarray:
        raise NotImplementedError(f"JSON has no {kind}")
    element = get_args(get_args(kind)[1])[0]
    if isinstance(value, list):
        return np.array(value, element)
    sparse = msgspec.convert(value, _Sparse)
    made = np.zeros(sparse.shape, element)
    for row, column, number in sparse.cells:
        made[row, column] = number
    return made
