"""The tags that messages can have."""

from __future__ import annotations

from bisect import bisect_left

import polympi


def highest_tag(comm: polympi.Communicator) -> int:
    """The highest tag of messages with this MPI library; only a probe shows whether a tag is valid."""

    def is_refused(tag: int) -> bool:
        try:
            comm.iprobe(polympi.ANY_SOURCE, tag)
        except polympi.TagError:
            return True
        return False

    return bisect_left(range(2**31), True, key=is_refused) - 1
