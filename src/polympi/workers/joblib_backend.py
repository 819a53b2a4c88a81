"""joblib's parallel calls as tasks of a pool."""

from __future__ import annotations

from typing import Any

from joblib.parallel import ParallelBackendBase, SequentialBackend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from polympi.workers.pool import Pool


class Backend(ParallelBackendBase):  # type: ignore[misc]  # mypy takes the base as Any
    """A backend of joblib. Calls that are parallel in a task run one after another there."""

    default_n_jobs = -1
    supports_retrieve_callback = True
    supports_inner_max_num_threads = False

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool
        self._futures: set[Future[Any]] = set()

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """How many calls run at a time: all workers, or as many as are asked for."""
        return self._pool.size if n_jobs is None or n_jobs < 0 else min(n_jobs, self._pool.size)

    def configure(self, n_jobs: int = 1, parallel: Any = None, **_: object) -> int:
        """See joblib."""
        self.parallel = parallel
        return self.effective_n_jobs(n_jobs)

    def submit(self, func: Callable[[], Any], callback: Callable[[Future[Any]], object] | None = None) -> Future[Any]:
        """Run a batch of calls."""
        future = self._pool.submit(_call, func)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        if callback:
            future.add_done_callback(callback)
        return future

    apply_async = submit  # until joblib 1.4

    def retrieve_result_callback(self, out: Future[Any]) -> Any:
        """The results of a batch."""
        return out.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:  # noqa: ARG002
        """Drop what hasn't begun, after an exception."""
        for future in list(self._futures):
            future.cancel()

    def get_nested_backend(self) -> tuple[ParallelBackendBase, None]:
        """For calls in tasks."""
        return SequentialBackend(nesting_level=1), None


def _call(function: Callable[[], Any]) -> Any:
    return function()
