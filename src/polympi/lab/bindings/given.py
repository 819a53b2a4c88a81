"""Sources that the user gives: of bindings that no package index has, such as headers from a checkout.

``polympi source add`` copies them, so that what a program was compiled with stays known. In a manifest, the table
``needs.sources`` has for each of them a file by which they are recognised; in its commands, ``{sources[NAME]}`` is the
folder of the copy.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urldefrag

import msgspec

from polympi.lab.bindings.manifest import Binding, Source
from polympi.lab.decoding import read_record, write_record
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.home import home
from polympi.lab.suggest import did_you_mean

_RECORD = "source.json"
_FILES = "files"
_DOWNLOAD_S = 60.0  # without a byte
_SHOWN = 12  # digits of a hash that are shown, as in the names of builds


class GivenSource(msgspec.Struct, frozen=True, kw_only=True):
    """Sources as they were given."""

    name: str
    place: str  # the folder, archive or URL
    version: str  # what git calls the commit, or the hash of the files
    sha256: str  # of all files with their paths

    @property
    def folder(self) -> Path:
        """Where the copy is."""
        return _folder(self.name) / _FILES


def given_sources() -> dict[str, GivenSource]:
    """All sources that were given, by name."""
    return {source.name: source for source in map(_read, sorted(_root().glob(f"*/{_RECORD}")))}


def missing_sources(binding: Binding) -> dict[str, Source]:
    """The sources that a binding needs and nobody has given, by name."""
    needed = binding.manifest.needs.sources
    return {name: source for name, source in needed.items() if not (_folder(name) / _RECORD).is_file()}


def sources_of(binding: Binding) -> list[GivenSource]:
    """The sources of a binding that were given."""
    records = [_folder(name) / _RECORD for name in binding.manifest.needs.sources]
    return [_read(record) for record in records if record.is_file()]


def give_source(name: str, place: str, bindings: Mapping[str, Binding]) -> GivenSource:
    """Copy sources from a folder, an archive or a URL, instead of what was given before."""
    needed = {key: source for binding in bindings.values() for key, source in binding.manifest.needs.sources.items()}
    if name not in needed:
        known = f"those that bindings need are {', '.join(needed)}" if needed else "no binding needs any"
        raise UsageError(f"No binding needs the sources of '{name}': {known}.{did_you_mean(name, needed)}")
    _root().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_root(), prefix=f".{name}-") as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        try:
            commit = _copy(place, made / _FILES, Path(scratch))
        except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
            why = "it is neither a folder nor an archive that can be unpacked"
            if isinstance(error, OSError) and error.errno:
                why = system_reason(error)
            raise UsageError(f"The sources of '{name}' cannot be read from '{place}': {why}.") from error
        if not (made / _FILES / needed[name].file).is_file():
            raise UsageError(f"'{place}' does not have the sources of '{name}': it has no file '{needed[name].file}'.")
        digest = _digest(made / _FILES)
        version = commit or f"sha256 {digest[:_SHOWN]}"
        source = GivenSource(name=name, place=place, version=version, sha256=digest)
        write_record(made / _RECORD, source)
        shutil.rmtree(_folder(name), ignore_errors=True)
        made.rename(_folder(name))
    return source


def remove_source(name: str) -> None:
    """Remove the copy of sources; what it was copied from stays."""
    if name not in (given := given_sources()):
        raise UsageError(f"There are no sources '{name}' to remove.{did_you_mean(name, given)}")
    shutil.rmtree(_folder(name))


def _root() -> Path:
    return home() / "sources"


def _folder(name: str) -> Path:
    return _root() / name


def _read(record: Path) -> GivenSource:
    try:
        return read_record(record, GivenSource)
    except (OSError, ValueError) as error:
        name = record.parent.name
        raise UsageError(
            f"The record of sources, '{record}', is damaged: give them again with 'polympi source add {name}'."
        ) from error


def _copy(place: str, to: Path, scratch: Path) -> str:
    """Copy the sources, and return what git calls their commit; empty if nothing says."""
    if re.match(r"https?://", place):
        archive = _download(place, scratch)
    else:
        archive = Path(place).expanduser()
        if archive.is_dir():
            shutil.copytree(archive, to, ignore=shutil.ignore_patterns(".git"), ignore_dangling_symlinks=True)
            return _commit_of_checkout(archive)
    unpacked = scratch / "unpacked"
    if zipfile.is_zipfile(archive):
        shutil.unpack_archive(archive, unpacked, "zip")
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, members=_inside(tar, unpacked))
    inside = list(unpacked.iterdir())
    (inside[0] if len(inside) == 1 and inside[0].is_dir() else unpacked).rename(to)
    return _commit_of_archive(archive)


def _inside(tar: tarfile.TarFile, folder: Path) -> Iterator[tarfile.TarInfo]:
    """The files and folders that an archive puts into a folder: not all Pythons 3.11 have the filter "data"."""
    for member in tar:
        if (member.isfile() or member.isdir()) and (folder / member.name).resolve().is_relative_to(folder.resolve()):
            yield member


def _download(place: str, scratch: Path) -> Path:
    """Download an archive whose hash the user gives."""
    url, fragment = urldefrag(place)
    wanted = fragment.removeprefix("sha256=").lower()
    if not re.fullmatch(r"sha256=[0-9a-fA-F]{64}", fragment):
        raise UsageError(f"'{place}' needs the hash of the archive: '{url}#sha256=...'.")
    archive = scratch / "archive"
    try:
        with urllib.request.urlopen(url, timeout=_DOWNLOAD_S) as response, archive.open("wb") as file:
            shutil.copyfileobj(response, file)
    except urllib.error.HTTPError as error:
        raise UsageError(f"'{url}' cannot be downloaded: {error}.") from error
    except urllib.error.URLError as error:
        raise UsageError(f"'{url}' cannot be downloaded: {error.reason}.") from error
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != wanted:
        raise UsageError(f"The archive '{url}' has another hash than the one given: it is {found}.")
    return archive


def _commit_of_checkout(folder: Path) -> str:
    """As ``git describe`` says it; empty without git, or if the folder is not the top of a repository."""
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "describe", "--tags", "--always", "--dirty"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_DOWNLOAD_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def _commit_of_archive(archive: Path) -> str:
    """As ``git archive`` notes it in a comment, which releases of GitHub and GitLab have, too."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            comment = opened.comment.decode(errors="replace")
    else:
        with tarfile.open(archive) as tar:
            comment = tar.pax_headers.get("comment", "")
    return comment[:_SHOWN] if re.fullmatch(r"[0-9a-f]{40,64}", comment) else ""


def _digest(folder: Path) -> str:
    key = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = hashlib.sha256(path.read_bytes()).digest()
            key.update(os.fsencode(path.relative_to(folder)) + b"\0" + content)
    return key.hexdigest()
