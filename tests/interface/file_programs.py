"""Programs that use files, and what they begin and end with."""

from rank_programs import PRELUDE

BEGIN = (
    PRELUDE
    + """
import pathlib
import shutil
import tempfile
import polympi.file_pieces
folder = c.bcast(tempfile.mkdtemp() if rank == 0 else None)
path = os.path.join(folder, "data")

@contextlib.contextmanager
def fails(kind, *words, **fields):
    try:
        yield
    except mpi.FileError as error:
        assert isinstance(error, kind), type(error).__mro__
        for word in words:
            assert word in str(error), f"{word!r} is not in: {error}"
        assert "\\n" not in str(error) and path in str(error), error
        for name, value in fields.items():
            assert getattr(error, name) == value, (name, getattr(error, name))
    else:
        raise AssertionError("nothing was raised")

def content():
    c.barrier()
    with open(path, "rb") as file:
        found = file.read()
    c.barrier()
    return found
"""
)
END = """
c.barrier()
if rank == 0:
    shutil.rmtree(folder)
"""

# Programs that run on either number of ranks.
ANY = {
    "each rank writes and reads its part": """
with c.open(path, "w+") as file:
    assert (file.path, file.mode, file.size, file.closed) == (path, "w+", 0, False)
    file.sync()
    file.write_at(8 * rank, np.array([float(rank)]))
    file.sync()
    assert file.size == 8 * size
    for start in range(size):
        into = np.zeros(1)
        assert file.read_at(8 * start, into) is into and into[0] == start
    file.write_at_all(8 * (size + rank), np.array([10.0 + rank]))
    file.sync()
    assert file.read_at_all(0, into=np.empty(2 * size)).tolist() == [*range(size), *range(10, 10 + size)]
assert file.closed and repr(file) == f"<polympi.File {path!r}, mode 'w+', closed>"
assert np.frombuffer(content()).tolist() == [*range(size), *range(10, 10 + size)]
""",
    "only w and x begin with an empty file": """
for mode, before in (("x", b""), ("a", b"abcd"), ("r+", b"abcd"), ("r", b"abcd"), ("a+", b"abcd"), ("w", b"")):
    with c.open(path, mode) as file:
        assert file.size == len(before), (mode, file.size)
        if mode in ("x", "w"):
            file.write_at_all(0, b"abcd" if rank == 0 else b"")
    assert content() == b"abcd", mode
with c.open(path, "rb") as file:
    assert bytes(file.read_at(1, bytearray(2))) == b"bc"
with c.open(path, "a") as file:
    file.write_at_all(1, b"XY" if rank == 0 else b"")
assert content() == b"aXYd"
""",
    "strided arrays, and all kinds of memory": """
import array
import datetime
grid = np.arange(48.0).reshape(6, 8) + 100 * rank
fields = np.zeros(3, [("a", "i1"), ("b", ">f8")])
fields["b"] = np.arange(3) + rank
kinds = [grid[::2, 1::3], grid.T, grid[::-1], np.array(3.5), fields, fields["b"], np.array(["ab", "c"]), b"bytes",
         bytearray(b"xyz"), memoryview(b"abcd")[::2], array.array("i", [1, 2]), np.array(["2020-01-01"], "M8[D]"),
         np.empty((0, 3)), b"", np.ones(4, np.float16), np.broadcast_to(np.float32(2), (3, 2))]
for together in (False, True):
    with c.open(path, "w+") as file:
        write, read = (file.write_at_all, file.read_at_all) if together else (file.write_at, file.read_at)
        for number, given in enumerate(kinds):
            at = 4096 * (number * size + rank)
            write(at, given)
            expected = np.asarray(given) if not isinstance(given, (bytes, bytearray)) else np.frombuffer(given, "u1")
            assert read(at, into=bytearray(expected.nbytes)) == expected.tobytes(), given
            wide = np.zeros((*expected.shape[:-1], 2 * expected.shape[-1]) if expected.ndim else (), expected.dtype)
            into = wide[..., ::2] if expected.ndim else wide
            read(at, into)
            assert into.tobytes() == expected.tobytes(), given
            assert not wide[..., 1::2].tobytes().strip(b"\\0") if expected.ndim else True
""",
    "elements that are apart in the file": """
columns = np.arange(12.0).reshape(4, 3) + 100 * rank  # of a table with 3 columns of each rank
width = 3 * size * 8
with c.open(path, "w+") as file:
    file.write_at_all(3 * rank * 8, columns, strides=(width, 8))
    file.sync()
    table = file.read_at_all(0, np.empty((4, 3 * size)))
    assert all((table[:, 3 * other : 3 * other + 3] == columns + 100 * (other - rank)).all() for other in range(size))
    assert (file.read_at_all(24 * rank, np.empty((3, 4)), strides=(8, width)) == columns.T).all()
    assert (file.read_at_all(24 * rank, np.empty((3, 4), order="F"), strides=(8, width)) == columns.T).all()
    last = columns[:, :1] if rank == size - 1 else np.empty((0, 1))  # one rank alone has something
    assert (file.read_at_all(24 * rank, np.zeros_like(last), strides=(width, 0)) == last).all()
    file.write_at_all(width * 4, [b"", b"rest"][rank == 0])  # without strides afterwards
    file.sync()
    assert bytes(file.read_at(width * 4, bytearray(4))) == b"rest"
for strides, said in (((8,), "the array has 2 axes"), ((8, 8), "overlap"), ((-8, 8), "overlap"), ((24, 4), "overlap")):
    with c.open(path) as file:
        try:
            file.read_at_all(0, np.empty((2, 3)), strides=strides)
        except ValueError as error:
            assert said in str(error), error
        else:
            raise AssertionError(strides)
""",
    "more bytes than one call moves": """
polympi.file_pieces.MOST_BYTES = 100
mine = np.random.default_rng(rank).random((7, 11, 3))[:, :: 1 + rank % 2]
counts = c.allgather(mine.nbytes)
with c.open(path, "w+") as file:
    file.write_at_all(sum(counts[:rank]), mine)
    assert (file.read_at(sum(counts[:rank]), np.empty_like(mine)) == mine).all()
    assert (file.read_at_all(sum(counts[:rank]), np.empty_like(mine)) == mine).all()
    file.write_at(sum(counts) + rank * 1000, b"z" * 1000)
assert content()[sum(counts):] == b"z" * 1000 * size
with c.open(path, "w+") as file:
    width = 11 * 8 * size
    part = np.arange(77.0).reshape(7, 11) + rank
    file.write_at_all(88 * rank, part, strides=(width, 8))
    assert (file.read_at_all(88 * rank, np.empty((7, 11)), strides=(width, 8)) == part).all()
polympi.file_pieces.MOST_BYTES = 1 << 30
assert (np.frombuffer(content()).reshape(7, size, 11)[:, rank] == part).all()
""",
    "its size": """
with c.open(path, "w") as file:
    file.resize(np.int64(10))
    assert file.size == 10
    file.resize(4)
with c.open(path) as file:
    assert file.size == 4
    with fails(mpi.FileError, "resize() of ", "mode 'r', which isn't for writing"):
        file.resize(1)
    assert file.size == 4
with c.open(path, "r+") as file:
    for wrong, kind, said in ((-1, ValueError, "can't have -1 bytes"), ("1", TypeError, "must be an integer")):
        with raises(kind, said):
            file.resize(wrong)
    assert file.size == 4
""",
    "wrong arguments": """
for mode in ("", "rw", "b", "r++", "t"):
    with raises(ValueError, f"open(): mode is {mode!r}, but must be"):
        c.open(path, mode)
for wrong, mode in ((3.5, "r"), (path, 1)):
    with raises(TypeError, "open(): "):
        c.open(wrong, mode)
with c.open(path, "w") as file:
    file.write_at_all(0, b"12345678")
    with fails(mpi.FileError, "read_at() of", "mode 'w', which isn't for reading", operation="read_at", rank=rank):
        file.read_at(0, bytearray(1))
    with raises(mpi.MismatchError, "write_at() of", "objects", operation="write_at"):
        file.write_at(0, np.array([None]))
    with raises(ValueError, "write_at(): offset is -1"):
        file.write_at(-1, b"1")
    with raises(TypeError, "write_at(): an array or a bytes-like object is needed, not str"):
        file.write_at(0, "text")
    with raises(TypeError):
        file.write_at(1.5, b"1")
with c.open(path) as file:
    with fails(mpi.FileError, "write_at_all() of", "which isn't for writing"):
        file.write_at_all(0, b"")
    with raises(mpi.MismatchError, "read_at() of", "read-only"):
        file.read_at(0, b"12")
    with raises(mpi.MismatchError, "read_at_all() of", "read-only"):
        file.read_at_all(0, b"12")
    with raises(TypeError, "cannot be sent or pickled"):
        import pickle
        pickle.dumps(file)
assert content() == b"12345678"
""",
    "files that can't be opened": """
with fails(FileNotFoundError, "open() of", "no such file or directory", filename=path, errno=2, consequence=rank > 0):
    c.open(path)
with fails(FileNotFoundError):
    c.open(path, "r+")
c.barrier()
if rank == 0:
    open(path, "w").close()
c.barrier()
with fails(FileExistsError, "file exists"):
    c.open(path, "x")
path = os.path.join(folder, "below")
c.barrier()
if rank == 0:
    os.mkdir(path)
c.barrier()
for mode in ("r", "w"):
    with fails(IsADirectoryError):
        c.open(path, mode)
path = os.path.join(folder, "data", "below")
with fails(NotADirectoryError):
    c.open(path, "w")
""",
    "the file ends before what is read": """
with c.open(path, "w+") as file:
    file.write_at_all(0, b"abcde")
    file.sync()
    into = bytearray(4)
    with fails(mpi.FileError, "read_at() of", "the file ends after 5 bytes: from offset 3 on, 2 of 4 bytes came"):
        file.read_at(3, into)
    assert into == b"de\\0\\0"
    with fails(mpi.FileError, "read_at_all() of", "from offset 9 on, 0 of 4 bytes came"):
        file.read_at_all(9, into)
    with fails(mpi.FileError, "read_at_all() of", "3 bytes up to offset 21 were asked for"):
        file.read_at_all(0, bytearray(3), strides=(10,))
    assert bytes(file.read_at_all(0, bytearray(5))) == b"abcde"
""",
    "names with all kinds of characters": """
for name in ("a:b", "ufs:data", "with space", "\u00e9\u4e2d", "x" * 255):
    path = os.path.join(folder, name)
    with c.open(path, "w") as file:
        file.write_at_all(rank, b"x")
    assert content() == b"x" * size
if rank == 0:
    os.chdir(folder)
with c.open(pathlib.Path(path), "r+"), c.open(os.fsencode(path)):
    pass
path = "x" * 256
with fails(OSError, "file name too long", consequence=rank > 0):
    c.open(path, "w")
""",
    "a closed file": """
with c.open(path, "w+") as file:
    pass
file.close()
file.close()
for call in (lambda: file.size, lambda: file.read_at(0, bytearray(1)), lambda: file.write_at_all(0, b"1"),
             lambda: file.resize(1), file.sync):
    with raises(mpi.StateError, "the file is closed"):
        call()
""",
    "errors of all ranks close the file": """
for turn in range(50):  # leaves neither descriptors nor communicators
    with contextlib.suppress(mpi.FileError), c.open(path, "w") as file:
        file.read_at_all(0, bytearray(1))
    assert file.closed
assert len(os.listdir("/proc/self/fd")) < 60
""",
    "a file of a part of the ranks, and of a mesh": """
with c.split(rank % 2) as part, part.open(path + str(rank % 2), "w") as file:
    file.write_at_all(part.rank, bytes([65 + rank]))
with c.cart(ndim=1) as cart, cart.open(path, "w") as file:
    file.write_at_all(cart.rank, b"M")
with mpi.self_world.open(f"{path}-{rank}", "w") as file:
    file.write_at_all(0, b"alone")
assert content() == b"M" * size
""",
    "threads use files in any order": """
import threading
files = [c.open(path + str(number), "w+") for number in range(3)]
def use(number):
    for turn in range(10):
        files[number].write_at_all(100 * rank, bytes([turn]) * 100)
        files[number].write_at(1000 * (1 + rank), bytes([turn]) * 100)
threads = [threading.Thread(target=use, args=[number]) for number in random.Random(rank).sample(range(3), 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for file in files:
    file.sync()
    assert bytes(file.read_at(0, bytearray(100 * size))) == bytes([9]) * 100 * size
    file.close()
""",
}

TWO = {
    "one rank's argument is wrong": """
with c.open(path, "w+") as file:
    for good, wrong in (((0, b"1234"), (-1, b"1")), ((0, b"1234"), (0, "text")), ((0, b"1234"), (0, np.array([None])))):
        for unlucky in range(2):
            try:
                file.write_at_all(*(wrong if rank == unlucky else good))
            except mpi.Error as error:
                assert error.consequence == (rank != unlucky), error
                assert rank == unlucky or f"rank {unlucky} could not do its part: " in str(error), error
            except (TypeError, ValueError):
                assert rank == unlucky
            else:
                raise AssertionError(wrong)
    assert file.size == 0
    with fails(mpi.FileError, "rank 1", "0 of 4 bytes came", consequence=rank == 0):
        file.read_at_all(0, bytearray(4 * rank))
    file.write_at_all(4 * rank, b"good")
assert content() == b"goodgood"
""",
    "ranks that disagree": """
with raises(mpi.MismatchError, "mode 'w', but rank 0 opens ", "data0' with mode 'w'", consequence=rank == 0):
    c.open(path + str(rank), "w")
with raises(mpi.MismatchError, f"open() of {path!r}: ", "mode 'a', but rank 0 opens", "with mode 'w'"):
    c.open(path, "wa"[rank])
assert not os.path.exists(path)
with c.open(path, "w") as file:
    with raises(mpi.MismatchError, "ranks give sizes from 3 to 4", operation="resize"):
        file.resize(3 + rank)
    with raises(mpi.MismatchError, f"rank {other} called {'sync' if rank else 'resize'}() where this rank called "):
        file.resize(1) if rank else file.sync()
    file.write_at_all(rank, b"x")
assert content() == b"xx"
""",
    "one rank can't open it": """
real = os.open
def refuse(name, *others):
    if name == path and rank == 1:
        raise PermissionError(13, "Permission denied")
    return real(name, *others)
os.open = refuse
with fails(PermissionError, "permission denied", "" if rank else "rank 1 could not do its part: permission", errno=13):
    c.open(path, "w")
os.open = real
with c.open(path, "w") as file:
    pass
""",
    "a file that only one host has": """
elsewhere = path if rank == 0 else path + "-elsewhere"  # each host's own /tmp
c.barrier()
if rank:
    with open(elsewhere, "w") as file:
        file.write("old")
c.barrier()
real = os.open
os.open = lambda name, *others: real(elsewhere if name == path else name, *others)
with fails(mpi.FileError, "another file than that of rank 0: give a path that all hosts share") if rank else fails(
    mpi.FileError, "rank 1 could not do its part", consequence=True
):
    c.open(path, "w")
c.barrier()
if rank:
    os.remove(elsewhere)
with fails(FileNotFoundError, "only rank 0 has it: give a path that all hosts share", consequence=rank == 0):
    c.open(path, "w")
os.open = real
""",
    "parts that don't fit together are not written": """
cart = c.cart(ndim=1)
for comm, parts, said in (
    (c, [np.ones((2, 3)), np.ones((2, 4))], "rank 1 has rows of shape (4,)"),
    (c, [np.ones(2), np.ones(2, np.float32)], "rank 1 has rows of shape () and <f4, but rank 0 () and <f8"),
    (cart, [np.ones(2), np.ones(4)], "the block of rank"),
    (cart, [np.ones(2), np.array([None])], "plain elements"),
):
    with raises(mpi.MismatchError, "save_npy()", said):
        mpi.save_npy(path, parts[rank], comm)
    assert not os.path.exists(path)
with raises(ValueError, "order is 'K'"):
    mpi.save_npy(path, np.ones(1), order="K")
with raises(mpi.MismatchError, "orders: 'C', 'F'"):
    mpi.save_npy(path, np.ones(1), order="CF"[rank])
with raises(mpi.MismatchError, "no axis, and so no rows"):
    mpi.save_npy(path, np.array(1.0))
""",
    "files that have no array": """
for content, said in ((b"", "load_npy() of"), (b"text" * 99, "isn't a whole file of one array")):
    with c.open(path, "w") as file:
        file.write_at_all(0, content)
    with fails(mpi.FileError, said) if rank == 0 else fails(mpi.FileError, "rank 0 could not do its part"):
        mpi.load_npy(path)
mpi.save_npy(path, np.ones(100))
with c.open(path, "r+") as file:
    file.resize(file.size - 8)
with fails(mpi.FileError, "isn't a whole file") if rank == 0 else fails(mpi.FileError):
    mpi.load_npy(path)
if rank == 0:
    np.save(path, np.array([None, "x"]))
    os.rename(path + ".npy", path)
c.barrier()
with fails(mpi.FileError, "without objects") if rank == 0 else fails(mpi.FileError):
    mpi.load_npy(path)
with fails(FileNotFoundError):
    path += "-missing"
    mpi.load_npy(path)
""",
}

DTYPES = """
padded = {"names": ["x", "y"], "formats": ["i1", "f8"], "offsets": [0, 8], "itemsize": 20}
def alike(one, two):  # padding is nobody's
    return one.dtype == two.dtype and one.shape == two.shape and bool((one == two).all())
dtypes = ["f8", ">i4", "c16", "?", "f2", "U3", "S5", "M8[us]", "V3",
          np.dtype([("x", "i1"), ("\\u00e9\\u4e2d", ">f8", (2,))]), np.dtype(padded)]
def elements(dtype, shape):
    raw = np.random.default_rng(5).integers(33, 90, (int(np.prod(shape)), np.dtype(dtype).itemsize), np.uint8)
    if np.dtype(dtype).kind in "U?":
        raw[:] = 0
    return raw.view(dtype).reshape(shape)
"""

NPY = {
    "blocks of meshes": DTYPES
    + """
for shape in ((7, 5), (8, 3, 2), (1, 1), (0, 4)):
    with c.cart(ndim=2) as cart:
        for order in "CF":
            for dtype in dtypes:
                whole = elements(dtype, shape)
                block = cart.block(shape)
                polympi.file_pieces.MOST_BYTES = 64 if dtype == "f8" else 1 << 30
                mpi.save_npy(path, np.asarray(whole[block.slices], order="FC"[order == "F"]), cart, order=order)
                if rank == 0:
                    found = np.load(path)
                    assert alike(found, whole), (shape, order, dtype)
                    assert found.flags.f_contiguous or order == "C"
                again = mpi.load_npy(path, cart)
                assert alike(again, whole[block.slices]), dtype
                assert alike(mpi.load_npy(path, cart, whole=True), whole), dtype
polympi.file_pieces.MOST_BYTES = 1 << 30
with c.cart(ndim=1) as cart:
    if rank == 0:
        np.save(path + ".npy", np.float64(3))
    c.barrier()
    with raises(ValueError, "more axes"):
        mpi.load_npy(path + ".npy", cart)
    assert mpi.load_npy(path + ".npy", cart, whole=True) == 3
""",
    "rows, as many as a rank has": """
for counts in ([rank + 1 for rank in range(size)], [0] * size, [0] * (size - 1) + [5]):
    for order in "CF":
        rows = np.random.default_rng(1).random((sum(counts), 3))
        first = sum(counts[:rank])
        mpi.save_npy(path, rows[first : first + counts[rank]], order=order)
        assert same(np.ascontiguousarray(np.load(path)), rows)
        assert same(np.ascontiguousarray(mpi.load_npy(path)), np.array_split(rows, size)[rank])
        c.barrier()
if rank == 0:
    np.save(path + ".npy", np.asfortranarray(np.arange(12).reshape(3, 4)))
c.barrier()
assert mpi.load_npy(path + ".npy", whole=True).tolist() == np.arange(12).reshape(3, 4).tolist()
""",
}
