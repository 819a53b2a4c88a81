"""Launchers that could not start, or not their own daemon on a host, so that no program began: what they say then."""

import re

# Each as its launcher says it where what reaches another host, or the daemon there, ends at once.
_SAYINGS = (
    r"A daemon failed to report back",  # PRRTE, of Open MPI 5
    r"The PMIx server's listener thread failed to start",  # PRRTE, too: see session_folders.py
    r"daemon has unexpectedly failed|unable to reliably start one or more daemons",  # ORTE, of Open MPI 4
    r"Launch proxy failed",  # Hydra
    r"srun: error: .*(?:Task launch for|Unable to create step for)",
)
_SAYING = re.compile("|".join(f"(?:{saying})" for saying in _SAYINGS))
_OF_SSH = re.compile(r"^(?:ssh: |kex_exchange_identification: |Connection (?:closed|reset) by ).*", re.MULTILINE)
_HOST = re.compile(r"^ *Remote host: +(\S+)", re.MULTILINE)


def not_started(tail: str) -> str | None:
    """The end of a sentence about a launcher that did not reach a host; None if nothing says so.

    Launchers say the same where a host is lost later: this is to be asked only where no program has begun.
    """
    said = _SAYING.search(tail)
    if said is None:
        return None
    cause, host = _OF_SSH.search(tail), _HOST.search(tail)
    words = cause.group() if cause else said.group()
    where = f" on {host.group(1)}" if host else ""
    return f"the launcher could not start it{where}: '{words.strip()}'"
