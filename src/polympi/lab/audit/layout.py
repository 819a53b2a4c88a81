"""What a rank's file holds, as NumPy reads it: the same as ``recorder/layout.h``, which says what each field means."""

from __future__ import annotations

from enum import IntEnum, IntFlag

import numpy as np

MAGIC = b"POLYMPI AUDIT"
VERSION = 1
MAX_THREADS = 64
MAX_SITES = 8192
MAX_COMMUNICATORS = 4096
STRING_BYTES = 1 << 20
MAX_ENTRIES = 4096
MAX_PENDING = 1024
SIZE_CLASSES = 40
NO_PEER, ANY_SOURCE, NOBODY = -1000, -1001, -1002
NO_TAG, ANY_TAG = -1000, -1001
NO_COMMUNICATOR = 65535


class State(IntEnum):
    """How far a rank's program has got."""

    RUNNING = 0
    FINALIZED = 1
    EXITED = 2
    ABORTED = 3
    FAILED = 4


class Role(IntFlag):
    """What a record of the timeline is."""

    CALL = 1
    SENDS = 2
    RECEIVES = 4
    COLLECTIVE = 8


TABLE = np.dtype([("offset", "u8"), ("size", "u4"), ("used", "u4")])
MOMENT = np.dtype([("ticks", "u8"), ("ns", "u8")])
HEADER = np.dtype(
    [
        ("magic", "S16"),
        ("version", "u4"),
        ("pid", "i4"),
        ("rank", "i4"),
        ("ranks", "i4"),
        ("state", "u4"),
        ("timeline", "u4"),
        ("world", "u8"),
        ("first", MOMENT),
        ("last", MOMENT),
        ("offset_ns", "i8", 2),
        ("error_ns", "i8", 2),
        ("started_ns", "u8"),
        ("cost_ticks", "u8"),
        ("host", "S64"),
        ("program", "S256"),
        ("library", "S256"),
        ("strings", TABLE),
        ("procedures", TABLE),
        ("sites", TABLE),
        ("communicators", TABLE),
        ("threads", TABLE),
        ("segments", "u8", MAX_THREADS),
    ]
)
SITE = np.dtype(
    [
        ("file", "u4"),
        ("function", "u4"),
        ("line", "i4"),
        ("python", "u4"),
        ("address", "u8"),
        ("past_symbol", "u8"),
    ]
)
COMMUNICATOR = np.dtype(
    [
        ("id", "u8"),
        ("parent", "u8"),
        ("name", "u4"),
        ("size", "i4"),
        ("remote_size", "i4"),
        ("rank", "i4"),
        ("collectives", "u8"),
        ("freed", "u4"),
        ("first_rank", "i4"),
    ]
)
CURRENT = np.dtype(
    [
        ("inside", "u4"),
        ("procedure", "u2"),
        ("communicator", "u2"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("site", "u4"),
        ("root", "i4"),
        ("bytes", "u8"),
        ("number", "u8"),
        ("since", "u8"),
        ("progress", "u8"),
        ("polls", "u8"),
        ("first_poll", "u8"),
    ]
)
ENTRY = np.dtype(
    [
        ("procedure", "u2"),
        ("communicator", "u2"),
        ("site", "u4"),
        ("calls", "u8"),
        ("ticks", "u8"),
        ("longest", "u8"),
        ("messages_sent", "u8"),
        ("bytes_sent", "u8"),
        ("messages_received", "u8"),
        ("bytes_received", "u8"),
        ("sizes", "u4", SIZE_CLASSES),
    ]
)
PEER = np.dtype([("messages_sent", "u8"), ("bytes_sent", "u8"), ("messages_received", "u8"), ("bytes_received", "u8")])
PENDING = np.dtype(
    [
        ("request", "u8"),
        ("procedure", "u2"),
        ("communicator", "u2"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("site", "u4"),
        ("bytes", "u8"),
        ("since", "u8"),
    ]
)
EVENT = np.dtype(
    [
        ("begin", "u8"),
        ("end", "u8"),
        ("bytes", "u8"),
        ("number", "u8"),
        ("procedure", "u2"),
        ("communicator", "u2"),
        ("peer", "i4"),
        ("tag", "i4"),
        ("site", "u4"),
        ("role", "u4"),
        ("root", "i4"),
    ]
)
SEGMENT = np.dtype(
    [
        ("thread", "i4"),
        ("dropped_entries", "u4"),
        ("dropped_pending", "u4"),
        ("ring", "u4"),
        ("events", "u8"),
        ("in_mpi", "u8"),
        ("current", CURRENT),
    ]
)
