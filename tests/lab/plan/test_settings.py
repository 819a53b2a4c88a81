"""Settings as users write them."""

import pytest

from polympi.lab.errors import UsageError
from polympi.lab.plan.settings import setting_words, settings_of, why_no_part
from polympi.lab.records import Level


def test_a_setting_has_a_name_variables_and_arguments_of_the_launcher() -> None:
    [one] = settings_of(["two words: A=1 B='x y' --bind-to core -v"])
    assert one == Level(
        factor="setting", name="two words", environment={"A": "1", "B": "x y"}, arguments=["--bind-to", "core", "-v"]
    )
    assert setting_words(one) == "A=1 B='x y' --bind-to core -v"


def test_a_variable_alone_names_itself_and_may_hold_any_signs() -> None:
    [one, two] = settings_of(["OMPI_MCA_btl=^ofi", "map: UCX_TLS=tcp,self URL=a:b/c="])
    assert (one.name, one.environment) == ("OMPI_MCA_btl=^ofi", {"OMPI_MCA_btl": "^ofi"})
    assert two.environment == {"UCX_TLS": "tcp,self", "URL": "a:b/c="}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "sets nothing"),
        ("name: ", "sets nothing"),
        ("name: value", "'value' is neither a variable .* nor an argument of the launcher"),
        ("just words", "'just' is neither"),
        ("name: A='1", "cannot be read .*: close what is quoted"),
        ("TMPDIR=/dev/shm", "needs a short name in front"),
        (f"{'n' * 41}: A=1", "needs a short name in front"),
        ("a/b: A=1", "needs a short name in front"),
        ("a, b: A=1", "needs a short name in front"),
        (" : A=1", "needs a short name in front"),
    ],
)
def test_what_is_no_setting_is_reported_with_an_example(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settings_of([text])


def test_two_settings_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="names the setting 'a' twice"):
        settings_of(["a: A=1", "a: A=2"])


@pytest.mark.parametrize(
    ("text", "family", "part"),
    [
        ("a: OMPI_MCA_btl=tcp", "mpich", False),
        ("a: OMPI_MCA_btl=tcp", "openmpi", True),
        ("a: OMPI_MCA_btl=tcp MPIR_CVAR_NOLOCAL=1", "mpich", True),
        ("a: OMPI_MCA_btl=tcp UCX_TLS=sm", "mpich", True),
        ("a: MPIR_CVAR_NOLOCAL=1", "impi", True),
        ("a: I_MPI_PIN=0", "mpich", False),
        ("a: OMPI_MCA_btl=tcp -v", "mpich", True),
        ("a: --bind-to core", "openmpi", True),
    ],
)
def test_a_setting_takes_no_part_where_only_another_mpi_reads_it(text: str, family: str, part: bool) -> None:
    [level] = settings_of([text])
    assert (why_no_part(level, family) is None) == part
