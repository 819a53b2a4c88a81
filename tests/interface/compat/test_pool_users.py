"""Packages that take a pool get one of polympi's: emcee, dynesty, UltraNest, joblib and scikit-learn, dask."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.made_once import made_once
from polympi.lab.home import home
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.any_library]

# With what they need and the stacks don't have.
PACKAGES = (
    *(
        "emcee==3.1.6",
        "dynesty==2.1.5",
        "ultranest==4.6.3",
        "joblib==1.5.2",
        "scikit-learn==1.7.2",
        "scipy==1.16.2",
        "threadpoolctl==3.6.0",
    ),
    *("dask==2025.9.1", "click==8.3.0", "cloudpickle==3.1.1", "fsspec==2025.9.0", "partd==1.4.2", "locket==1.0.0"),
    *("toolz==1.0.0", "PyYAML==6.0.3", "packaging==25.0", "importlib_metadata==8.7.0", "zipp==3.23.0"),
)
TIMEOUT_S = 600

EMCEE = """
import emcee
import numpy as np
import polympi as mpi

def log_probability(x, width):
    return -0.5 * np.sum((x / width) ** 2)

def chain(pool):
    sampler = emcee.EnsembleSampler(8, 2, log_probability, args=[2.0], pool=pool)
    start = np.random.default_rng(1).normal(size=(8, 2))
    sampler.random_state = np.random.RandomState(2).get_state()
    sampler.run_mcmc(start, 20)
    return sampler.get_chain()

with mpi.pool() as pool:
    if pool:
        assert np.array_equal(chain(pool), chain(None))
        print("the same chain")
"""

DYNESTY = """
import dynesty
import numpy as np
import polympi as mpi

def log_likelihood(point):
    return -0.5 * np.sum(((point - 0.5) / 0.1) ** 2)

def prior(point):
    return point

with mpi.pool() as pool:
    if pool:
        sampler = dynesty.NestedSampler(
            log_likelihood, prior, 2, nlive=100, rstate=np.random.default_rng(1), pool=pool, queue_size=4
        )
        sampler.run_nested(dlogz=0.1, print_progress=False)
        found, error = sampler.results["logz"][-1], sampler.results["logzerr"][-1]
        assert abs(found - np.log(2 * np.pi * 0.1**2)) < 4 * error < 1, (found, error)
        print("the right evidence")
"""

# UltraNest itself uses all ranks of mpi4py, if that is there and `comm` doesn't name others.
ULTRANEST = """
import logging
from types import SimpleNamespace
import numpy as np
import polympi as mpi
import ultranest

def log_likelihood(point):
    return -0.5 * np.sum(((point - 0.5) / 0.1) ** 2), mpi.world.rank

ranks = set()

def evidence(map):
    def log_likelihoods(points):
        found = list(map(log_likelihood, points))
        ranks.update(rank for _, rank in found)
        return np.array([value for value, _ in found])
    np.random.seed(1)
    alone = SimpleNamespace(Get_size=lambda: 1, Get_rank=lambda: 0)
    sampler = ultranest.ReactiveNestedSampler(["a", "b"], log_likelihoods, vectorized=True, comm=alone)
    return sampler.run(min_num_live_points=50, max_ncalls=3000, show_status=False, viz_callback=False)["logz"]

logging.disable()
with mpi.pool() as pool:
    if pool:
        found = evidence(pool.map)
        assert ranks == {1, 2}, ranks
        assert found == evidence(map)
        print("the same evidence")
"""

JOBLIB = """
import joblib
import numpy as np
import polympi as mpi
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV

def where(x):
    return x * x, mpi.world.rank

def fails(x):
    raise LookupError(x)

with mpi.pool() as pool:
    if pool:
        with joblib.parallel_config(backend=pool.joblib_backend()):
            found = joblib.Parallel()(joblib.delayed(where)(x) for x in range(40))
            assert [square for square, _ in found] == [x * x for x in range(40)]
            assert {rank for _, rank in found} <= {1, 2}, found
            try:
                joblib.Parallel()(joblib.delayed(fails)(x) for x in range(40))
                raise AssertionError
            except LookupError:
                pass
            data = make_classification(200, random_state=1)
            search = GridSearchCV(RandomForestClassifier(n_estimators=5, random_state=1), {"max_depth": [1, 3]}, cv=2)
            best = search.fit(*data).best_score_
        assert best == search.fit(*data).best_score_
        print("the same score")
"""

DASK = """
import dask
import polympi as mpi

def where(x):
    return x * x, mpi.world.rank

with mpi.pool() as pool:
    if pool:
        with dask.config.set(scheduler=pool):
            found = dask.compute(*[dask.delayed(where)(x) for x in range(10)])
        assert [square for square, _ in found] == [x * x for x in range(10)] and {rank for _, rank in found} <= {1, 2}
        print("the same squares")
"""


@pytest.fixture(scope="module")
def packages(mpich: Stack) -> Path:
    key = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    folder = home() / "tests" / f"packages-of-pools-{key}"
    try:
        with made_once(folder) as made:
            if made:
                command = [mpich.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
                command += ["--root-user-action=ignore", "--target", str(made), *PACKAGES]
                subprocess.run(command, check=True, timeout=TIMEOUT_S, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"packages cannot be fetched from the package index: {error.stderr}")
    return folder


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (EMCEE, "the same chain"),
        (DYNESTY, "the right evidence"),
        (ULTRANEST, "the same evidence"),
        (JOBLIB, "the same score"),
        (DASK, "the same squares"),
    ],
    ids=["emcee", "dynesty", "UltraNest", "joblib and scikit-learn", "dask"],
)
def test_a_package_runs_on_the_workers(run, stack: Stack, packages: Path, program: str, words: str) -> None:
    begin = f"import sys\nsys.path.append({str(packages)!r})\n"
    ended = run(begin + program, 3, stack, timeout=300, env={"OMP_NUM_THREADS": "1"})
    assert ended.exit_code == 0, str(ended)
    assert ended.stdout.strip() == words, str(ended)
