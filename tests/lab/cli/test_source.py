"""``polympi source`` as a user types it."""

from pathlib import Path

from commands import refusal, typed


def test_sources_are_given_and_removed(tmp_path: Path) -> None:
    (tmp_path / "mpl" / "mpl").mkdir(parents=True)
    (tmp_path / "mpl" / "mpl" / "mpl.hpp").write_text("")
    home = str(tmp_path / "home")
    added = typed("source", "add", "mpl", "mpl", folder=tmp_path, POLYMPI_HOME=home)
    assert (added.returncode, added.stdout[:23]) == (0, "sources of mpl: sha256 "), added.stderr
    removed = typed("source", "remove", "mpl", POLYMPI_HOME=home)
    assert (removed.returncode, removed.stdout) == (0, "the sources of mpl are removed\n")
    assert typed("source", "remove", "mpl", POLYMPI_HOME=home).returncode == 2


def test_a_source_that_no_binding_needs_is_refused() -> None:
    assert "No binding needs the sources of 'mlp'" in refusal("source", "add", "mlp", ".")
