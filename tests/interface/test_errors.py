import pickle

import pytest

from polympi import errors

BUILT_IN = {
    errors.RankError: ValueError,
    errors.TagError: ValueError,
    errors.MismatchError: TypeError,
    errors.TruncationError: Exception,
    errors.Timeout: TimeoutError,
    errors.StateError: RuntimeError,
    errors.NoBufferError: BufferError,
    errors.LibraryError: ImportError,
    errors.LauncherError: RuntimeError,
}


@pytest.mark.parametrize(("kind", "built_in"), BUILT_IN.items(), ids=lambda kind: kind.__name__)
def test_every_error_is_ours_and_the_built_in_one_of_its_kind(kind: type[errors.Error], built_in: type) -> None:
    assert issubclass(kind, errors.Error)
    assert issubclass(kind, built_in)


@pytest.mark.parametrize("kind", [errors.Error, *BUILT_IN], ids=lambda kind: kind.__name__)
def test_errors_keep_their_fields_when_pickled(kind: type[errors.Error]) -> None:
    fields = {"operation": "recv", "rank": 2, "peer": 1, "tag": 7, "code": 15, "consequence": True}
    error = pickle.loads(pickle.dumps(kind("rank 2 waited", **fields)))
    assert type(error) is kind
    assert str(error) == "rank 2 waited"
    assert {name: getattr(error, name) for name in fields} == fields


def test_fields_are_none_where_there_are_none() -> None:
    error = errors.StateError("MPI is not started")
    assert {error.operation, error.rank, error.peer, error.tag, error.code} == {None}
    assert not error.consequence
