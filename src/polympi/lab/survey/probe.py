"""What runs on each host that is looked at: it answers questions, one a line, until nobody asks any more.

It is sent to the host as text, and needs nothing there but Python 3.7: no polympi, and no file that hosts share. A
question is a JSON object with the name of a function below under ``do``, and its arguments; the answer is one, too,
behind a mark, since what a login prints comes the same way. A line with ``t`` alone asks for the clocks.
"""

from __future__ import annotations

import base64
import errno
import fcntl
import json
import os
import platform
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable  # noqa: UP035 (as old Pythons have it)

MARK = "polympi-probe:"
CLOCKS = "t"
LONGEST_S = 900  # for a host that nobody asks any more, and whose connection was not closed
TOKEN_BYTES = 64

_ADDRESS, _NETMASK, _FLAGS, _MTU = 0x8915, 0x891B, 0x8913, 0x8921  # SIOCGIFADDR, ...: netdevice(7)
_IS_UP, _LOOPBACK, _RUNNING = 0x1, 0x8, 0x40  # IFF_UP, ...
_LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "locked_memory_bytes": resource.RLIMIT_MEMLOCK,
    "processes": resource.RLIMIT_NPROC,
    "stack_bytes": resource.RLIMIT_STACK,
}


def metadata(paths: list[str]) -> dict[str, Any]:
    """What this host is like, as far as the standard library of Python can tell, and which of some paths are there."""
    return {
        "host": socket.gethostname(),
        "machine": [_text("/proc/sys/kernel/random/boot_id"), _link("/proc/self/ns/net")],
        "kernel": platform.release(),
        "system": _system(),
        "c_library": " ".join(platform.libc_ver()).strip() or None,
        "python": platform.python_version(),
        "executable": sys.executable,
        "limits": {name: list(resource.getrlimit(number)) for name, number in _LIMITS.items()},
        "clocksource": _text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "interfaces": [_interface(name) for _, name in socket.if_nameindex()],
        "infiniband": sorted(path.name for path in Path("/sys/class/infiniband").glob("*")),
        "own_addresses": _addresses(socket.gethostname()),
        "paths": {path: Path(path).exists() for path in paths},
        "shared_memory_free_bytes": _free("/dev/shm"),
        "temporary_free_bytes": _free(os.environ.get("TMPDIR") or "/tmp"),
    }


def environment() -> dict[str, Any]:
    """The record of the machine that polympi makes, its version and its folder; why not, where it is not here."""
    try:
        from polympi import lab  # noqa: PLC0415
        from polympi.lab.environment.record import record_environment  # noqa: PLC0415

        return {"record": record_environment(command=[]), "folder": str(Path(str(lab.__file__)).parents[1])}
    except Exception as error:
        return {"why": f"{type(error).__name__}: {error}"}


def listen(token: str) -> dict[str, Any]:
    """Wait on a port that the system chooses for connections, each of which gets the token."""
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("", 0))
    server.listen(128)

    def serve() -> None:
        while True:
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(token.encode())
                except OSError:
                    continue

    threading.Thread(target=serve, daemon=True).start()
    return {"port": server.getsockname()[1]}


def connect(targets: list[list[Any]], timeout_s: float) -> dict[str, Any]:
    """Connect to names and ports, all at once: by their names, the address, and the token or why there is none."""
    found: dict[str, Any] = {}

    def one(name: str, port: int) -> None:
        try:
            address = socket.getaddrinfo(name, port, socket.AF_INET, socket.SOCK_STREAM)[0][4]
        except OSError:
            found[name] = {"error": "unknown"}
            return
        try:
            with socket.create_connection((str(address[0]), port), timeout_s) as connection:
                connection.settimeout(timeout_s)
                token = connection.recv(TOKEN_BYTES).decode()
            found[name] = {"address": address[0], "token": token}
        except socket.timeout:  # noqa: UP041 (TimeoutError since Python 3.10)
            found[name] = {"address": address[0], "error": "ETIMEDOUT"}
        except OSError as error:
            found[name] = {"address": address[0], "error": errno.errorcode.get(error.errno or 0, str(error))}

    threads = [threading.Thread(target=one, args=(name, port), daemon=True) for name, port in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * timeout_s + 10)
    return found


def share(read: str, wanted: str, write: str, patience_s: float) -> dict[str, Any]:
    """Whether a file that another host has written is seen here within some time; write one for the other to see."""
    deadline = time.monotonic() + patience_s
    while True:
        seen = _text(read) == wanted
        if seen or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    if not seen:
        there = Path(read).parent.is_dir()
        return {"seen": False, "why": "it is another one there" if there else "there is none"}
    try:
        Path(write).write_text(wanted, encoding="ascii")
    except OSError as error:
        return {"seen": True, "written": False, "why": os.strerror(error.errno or 0).lower()}
    return {"seen": True, "written": True}


def place(program: str, path: str) -> dict[str, Any]:
    """Put a program (base64) where it can be run, in a new folder that goes with this process."""
    Path(path).parent.mkdir(mode=0o700, exist_ok=True)
    _placed.append(str(Path(path).parent))
    Path(path).write_bytes(base64.b64decode(program))
    Path(path).chmod(0o755)
    return {}


def run(command: list[str], variables: dict[str, str], timeout_s: float) -> dict[str, Any]:
    """Run a command to its end: its exit code and its output."""
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.call(
                command,
                env=dict(os.environ, **variables),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired:
            return {"code": None, "output": "it did not end"}
        except OSError as error:
            return {"code": None, "output": os.strerror(error.errno or 0).lower()}
        output.seek(0)
        return {"code": code, "output": output.read(1 << 16).decode(errors="replace")}


_placed: list[str] = []


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def _free(path: str) -> int | None:
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return None


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115 (as old Pythons have it)
    except OSError:
        return None


def _system() -> str | None:
    for line in (_text("/etc/os-release") or "").splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME":
            return value.strip("\"'")
    return None


def _addresses(name: str) -> list[str]:
    try:
        found = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return []
    return sorted({str(entry[4][0]) for entry in found})


def _interface(name: str) -> dict[str, Any]:
    folder = "/sys/class/net/" + name
    speed = _text(folder + "/speed") or ""
    flags = _asked(name, _FLAGS, "=H") or 0
    address, netmask = _asked(name, _ADDRESS, "4s", 20), _asked(name, _NETMASK, "4s", 20)
    return {
        "name": name,
        "carries": flags & _IS_UP != 0 and flags & _RUNNING != 0,
        "loopback": flags & _LOOPBACK != 0,
        "address": socket.inet_ntoa(address) if address else None,
        "netmask": socket.inet_ntoa(netmask) if netmask else None,
        "mtu": _asked(name, _MTU, "=i"),
        "mbit": int(speed) if speed.isdigit() else None,
    }


def _asked(name: str, request: int, form: str, at: int = 16) -> Any:
    """What the kernel says of an interface, after its name in ``struct ifreq``; None if it says nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            answer = fcntl.ioctl(asking, request, struct.pack("256s", name.encode()[:15]))
        except OSError:
            return None
    return struct.unpack_from(form, answer, at)[0]


_ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    "metadata": metadata,
    "environment": environment,
    "listen": listen,
    "connect": connect,
    "share": share,
    "place": place,
    "run": run,
}


def serve_questions() -> None:
    """Answer until the last question, then leave nothing behind."""
    signal.alarm(LONGEST_S)
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(1))
    say = sys.stdout
    try:
        say.write(MARK + "{}\n")
        say.flush()
        for line in sys.stdin:
            signal.alarm(LONGEST_S)
            if line.strip() == CLOCKS:
                answer = f"[{time.monotonic_ns()}, {time.time_ns()}]"
            else:
                question = json.loads(line)
                answer = json.dumps(_ANSWERS[question.pop("do")](**question))
            say.write(MARK + answer + "\n")
            say.flush()
    finally:
        for folder in _placed:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    serve_questions()
