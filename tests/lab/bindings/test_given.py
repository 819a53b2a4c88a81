"""Sources that the user gives, with an invented library of one header."""

import functools
import hashlib
import http.server
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from polympi.lab.bindings.build import build, output_folder, why_not_ready
from polympi.lab.bindings.given import give_source, given_sources, missing_sources, remove_source, sources_of
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.errors import UsageError
from polympi.lab.run.asked import sources_of_arms
from polympi.lab.stacks.stack import Stack

MANIFEST = """
name = "y"
language = "C"
summary = "for this test"
[needs]
sources.liby = { file = "include/liby.h", homepage = "https://example.org" }
[build]
sources = ["*.c"]
command = ["{mpicc}", "-I{sources[liby]}/include", "{folder}/y.c", "-o", "{output}/y"]
[[bindings]]
name = "y"
summary = "for this test"
run = ["{output}/y"]
covers = ["*/*/*"]
"""


@pytest.fixture
def binding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Binding:
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    folder = tmp_path / "bindings" / "y"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(MANIFEST)
    (folder / "y.c").write_text("#include <liby.h>\nint main(void) { return SUCCESS; }\n")
    return load_bindings([folder.parent])["y"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "liby.h").write_text("#define SUCCESS 0\n")
    return folder


def committed(folder: Path) -> str:
    """The hash of the folder's content as a commit with the tag v1."""
    if shutil.which("git") is None:
        pytest.skip("it needs git: apt install git")
    git = ["git", "-C", str(folder), "-c", "user.name=y", "-c", "user.email=y@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"], ["tag", "v1"]):
        subprocess.run([*git, *command], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def archive_of(folder: Path, archive: Path) -> Path:
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, "liby-1")
    return archive


def test_a_binding_without_its_sources_says_how_to_give_them(binding: Binding, checkout: Path, mpich: Stack) -> None:
    assert list(missing_sources(binding)) == ["liby"]
    needed = "it needs the sources of liby (https://example.org): polympi source add liby PLACE"
    assert why_not_ready(binding, mpich) == needed
    give_source("liby", str(checkout), {"y": binding})
    assert (missing_sources(binding), why_not_ready(binding, mpich)) == ({}, None)
    remove_source("liby")
    assert (given_sources(), why_not_ready(binding, mpich)) == ({}, needed)


def test_a_program_is_built_from_a_copy_and_again_when_other_sources_are_given(
    binding: Binding, checkout: Path, mpich: Stack
) -> None:
    give_source("liby", str(checkout), {"y": binding})
    first = build(binding, mpich)
    assert (first / "y").exists()
    header = checkout / "include" / "liby.h"
    header.write_text("#define SUCCESS 1\n")
    assert output_folder(binding, mpich) == first
    give_source("liby", str(checkout), {"y": binding})
    assert subprocess.run([build(binding, mpich) / "y"], check=False, timeout=60).returncode == 1
    header.write_text("#define SUCCESS 0\n")
    give_source("liby", str(checkout), {"y": binding})
    assert output_folder(binding, mpich) == first


def test_a_checkout_an_archive_of_git_and_files_alone_are_told_apart_by_their_versions(
    binding: Binding, checkout: Path, tmp_path: Path
) -> None:
    files = give_source("liby", str(archive_of(checkout, tmp_path / "y.tar.gz")), {"y": binding})
    assert files.version == f"sha256 {files.sha256[:12]}"
    commit = committed(checkout)
    tagged = give_source("liby", str(checkout), {"y": binding})
    assert (tagged.version, tagged.sha256) == ("v1", files.sha256)
    for ending in ("tar", "zip"):
        archive = tmp_path / f"z.{ending}"
        subprocess.run(
            ["git", "-C", str(checkout), "archive", "--prefix=liby-1/", "-o", str(archive), "HEAD"], check=True
        )
        given = give_source("liby", str(archive), {"y": binding})
        assert (given.version, given.sha256) == (commit[:12], files.sha256)
    assert sources_of(binding) == [given]
    (checkout / "include" / "liby.h").write_text("")
    assert give_source("liby", str(checkout), {"y": binding}).version == "v1-dirty"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The URL of a folder that a server of this test serves."""
    (tmp_path / "served").mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_an_archive_is_downloaded_only_with_its_hash(
    binding: Binding, checkout: Path, tmp_path: Path, served: str
) -> None:
    archive = archive_of(checkout, tmp_path / "served" / "y.tar.gz")
    url, digest = f"{served}/y.tar.gz", hashlib.sha256(archive.read_bytes()).hexdigest()
    with pytest.raises(UsageError, match=r"needs the hash of the archive: 'http.*#sha256=...'\.$"):
        give_source("liby", url, {"y": binding})
    with pytest.raises(UsageError, match=f"another hash than the one given: it is {digest}"):
        give_source("liby", f"{url}#sha256={'0' * 64}", {"y": binding})
    with pytest.raises(UsageError, match=r"cannot be downloaded: HTTP Error 404"):
        give_source("liby", f"{served}/z.tar.gz#sha256={digest}", {"y": binding})
    assert given_sources() == {}
    assert give_source("liby", f"{url}#sha256={digest}", {"y": binding}).place == f"{url}#sha256={digest}"
    assert (given_sources()["liby"].folder / "include" / "liby.h").is_file()


def test_what_cannot_be_the_sources_is_refused_and_what_was_given_stays(
    binding: Binding, checkout: Path, tmp_path: Path
) -> None:
    given = give_source("liby", str(checkout), {"y": binding})
    (tmp_path / "text").write_text("no archive")
    (tmp_path / "empty").mkdir()
    for name, place, why in (
        ("liby", "text", r"it is neither a folder nor an archive that can be unpacked\.$"),
        ("liby", "empty", r"does not have the sources of 'liby': it has no file 'include/liby.h'\.$"),
        ("liby", "nowhere", r"cannot be read from '.*nowhere': there is no such file or directory"),
        ("lib", "empty", r"No binding needs the sources of 'lib': .* are liby\..* Did you mean 'liby'\?"),
    ):
        with pytest.raises(UsageError, match=why):
            give_source(name, str(tmp_path / place), {"y": binding})
    assert given_sources() == {"liby": given}
    with pytest.raises(UsageError, match=r"no sources 'libz' to remove\. Did you mean 'liby'"):
        remove_source("libz")
    assert [path.name for path in given.folder.parents[1].iterdir()] == ["liby"]


def test_a_damaged_record_says_how_to_mend_it(binding: Binding, checkout: Path) -> None:
    given = give_source("liby", str(checkout), {"y": binding})
    (given.folder.parent / "source.json").write_bytes(msgspec.json.encode({"name": "liby"}))
    with pytest.raises(UsageError, match="is damaged: give them again with 'polympi source add liby'"):
        sources_of(binding)


def test_a_run_records_what_its_programs_were_built_from(binding: Binding, checkout: Path) -> None:
    given = give_source("liby", str(checkout), {"y": binding})
    assert sources_of_arms([binding, load_bindings()["c"]]) == {"y": {"liby": given.version}}
