"""Several threads of a rank at the same time."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

sys.setswitchinterval(1e-4)  # 50 times as often as usual: threads meet in more places


def together(work: Callable[[int], object], count: int) -> None:
    """Call work(number) in this many threads; what one of them raises is raised here."""
    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(work, number) for number in range(count)]:
            done.result(timeout=50)
