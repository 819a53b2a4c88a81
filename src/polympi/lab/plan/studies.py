"""Studies: a question that others have asked, as the bindings, the cases and the sizes that answer it.

A study says what is measured, a profile how thoroughly. A report of its run has a separate section
(:mod:`polympi.lab.report.studies`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from polympi.lab.errors import UsageError
from polympi.lab.plan.profiles import KI, MI, Profile
from polympi.lab.suggest import did_you_mean


@dataclass(frozen=True)
class Study:
    """What is measured, unless the user asks for something else."""

    name: str  # as given to `--study`
    title: str  # of the report
    summary: str  # one line for the help
    bindings: tuple[str, ...]  # those that are compared; one that is not ready is left out, and the report says it
    # The sizes of the cases of each pattern; none where the catalogue or the profile has them.
    cases: Mapping[str, tuple[int, ...]]

    def applied_to(self, profile: Profile) -> Profile:
        """The profile, with the cases and the bindings of this study."""
        sizes = {pattern: sizes for pattern, sizes in self.cases.items() if sizes}
        return replace(profile, benches=tuple(self.cases), bindings=self.bindings, sizes_of=sizes)


# From 8 B to 8 MiB, as in the thesis whose table is shown next to ours, with enough sizes between for one line per
# protocol.
_PING_PONG = (8, 64, 512, 4 * KI, 32 * KI, 256 * KI, MI, 8 * MI)
_COLLECTIVE = (8, KI, 64 * KI, MI)

_MODULES = Study(
    name="modules",
    title="Python modules for MPI, side by side",
    summary="Pypar, MYMPI, pyMPI, Scientific.MPI and boostmpi (polympi.compat), mpi4py, polympi and C: ping-pongs "
    "of arrays, bcast, reduce, allreduce, the inner product, the wave and conjugate gradients, and lines of code",
    bindings=(
        *("pypar", "mympi", "pympi", "scientific", "boostmpi-compat", "boost-python"),
        *("mpi4py", "polympi", "c-spin"),
    ),
    # Some modules receive into arrays (float64), the others return new ones (array).
    cases={
        **dict.fromkeys(("latency/standard/float64", "latency/standard/array"), _PING_PONG),
        **dict.fromkeys(("bcast/standard/float64", "bcast/standard/array"), _COLLECTIVE),
        **dict.fromkeys(("reduce/standard/float64", "reduce/standard/array"), _COLLECTIVE),
        **dict.fromkeys(("allreduce/standard/float64", "allreduce/standard/array"), _COLLECTIVE),
        "inner-product/standard/problem": (),
        # The smaller mesh of each in the short profiles, both in the long ones.
        **dict.fromkeys(("wave/*/problem", "poisson-cg/blocking/problem", "poisson-cg/overlapped/problem"), ()),
    },
)

STUDIES = {study.name: study for study in (_MODULES,)}


def get_study(name: str) -> Study:
    """The study of this name."""
    if name not in STUDIES:
        raise UsageError(f"There is no study '{name}': choose {', '.join(STUDIES)}.{did_you_mean(name, STUDIES)}")
    return STUDIES[name]
