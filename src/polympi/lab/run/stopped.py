"""What ends a run early, and launches that fail with it: these have not failed by themselves."""

from collections.abc import Callable, Sequence

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.environment.allocation import job_is_over
from polympi.lab.errors import UsageError
from polympi.lab.survey.reach import way_to
from polympi.lab.survey.session import what_is_lost


class Interrupted(Exception):  # noqa: N818 - it is what happened, not an error
    """Somebody asked the run to stop."""


class TimeIsUp(Exception):  # noqa: N818
    """The time limit of the run was reached within a launch."""


class HostLost(Exception):  # noqa: N818
    """A host of the run cannot be reached any more; the text is the middle of a sentence about it."""


def stopped_from_outside(
    asked_to_stop: Callable[[], bool], cluster: Cluster | None, hosts: Sequence[str]
) -> Interrupted | HostLost | None:
    """What has ended a launch that failed, if not itself: a batch system that signals ranks and us, or a lost host."""
    if asked_to_stop():
        return Interrupted("the run was asked to stop")
    if job_is_over():
        return Interrupted("the job of Slurm has ended")
    if cluster:
        lost = cluster.what_is_lost()
    elif len(hosts) > 1:
        try:
            lost = what_is_lost(hosts, way_to(None, None))
        except UsageError:  # there is no way to ask
            lost = None
    else:
        lost = None
    return HostLost(lost) if lost else None
