"""Authenticated connections between the ranks and the process that launches them.

On one machine they are abstract Unix sockets (unix(7)), which leave no file; with hosts, TCP. Both ends prove that they
know the key of the launch, as :mod:`multiprocessing.connection` does, which also sends the messages.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import socket
import struct
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge

ANSWER_S = 20  # for the other end to prove that it knows the key: at once, but a machine may be very busy
LONGEST_QUEUE = 4096  # of connections that wait to be accepted


class Door:
    """Where ranks connect.

    Attributes:
        words: the address and the key, for :func:`connect`.
    """

    def __init__(self, local: bool) -> None:
        self._key = secrets.token_bytes(32)
        if local:
            name = f"polympi-{secrets.token_hex(8)}"
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(f"\0{name}")
            address = f"@{name}"
        else:
            self.socket = socket.create_server(("", 0))
            address = f"{','.join(_own_names())}:{self.socket.getsockname()[1]}"
        self.socket.listen(LONGEST_QUEUE)
        self.words = f"{address} {self._key.hex()}"

    def accept(self) -> Connection | None:
        """The next connection; None if the other end doesn't know the key, or has ended."""
        found, _ = self.socket.accept()
        _limit(found, ANSWER_S)
        link = Connection(found.detach())
        try:
            deliver_challenge(link, self._key)
            answer_challenge(link, self._key)
        except (AuthenticationError, EOFError, OSError):
            link.close()
            return None
        with socket.socket(fileno=os.dup(link.fileno())) as again:
            _limit(again, 0)
        return link

    def close(self) -> None:
        """Stop accepting connections."""
        self.socket.close()


def connect(words: str) -> Connection:
    """Connect to a door by its words."""
    address, _, key = words.partition(" ")
    found = _dial(address)
    link = Connection(found.detach())
    answer_challenge(link, bytes.fromhex(key))
    deliver_challenge(link, bytes.fromhex(key))
    return link


def end_mark(words: str) -> bytes:
    """What ranks write after the output of a call; nobody else can."""
    return b"\0" + hashlib.sha256(words.encode()).hexdigest().encode() + b"\0"


def _dial(address: str) -> socket.socket:
    if address.startswith("@"):
        found = socket.socket(socket.AF_UNIX)
        found.connect(f"\0{address[1:]}")
        return found
    names, _, port = address.rpartition(":")
    failure: OSError = OSError(f"no name of a host in {address}")
    for name in names.split(","):
        try:
            found = socket.create_connection((name, int(port)), timeout=ANSWER_S)
        except OSError as error:
            failure = error
            continue
        found.settimeout(None)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found
    raise failure


def _own_names() -> list[str]:
    """Names and addresses by which other hosts may reach this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: it asks for the address of the default route
        return [socket.gethostname(), probe.getsockname()[0]]
    return [socket.gethostname(), "127.0.0.1"]


def _limit(found: socket.socket, seconds: int) -> None:
    """Limit the time of each read, which blocks; 0: no limit."""
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))
