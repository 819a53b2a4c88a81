"""What can be measured. Made from src/polympi/lab/catalogue.toml by bindings/harness/generate.py: make catalogue."""

from benchmark import Benchmark

# fmt: off
PAGES = ("huge", "plain")
LARGEST_FACE_EDGE = 258
HALO_FACES = 6
SMALLEST_EDGE = 3
WINDOWED = ("bandwidth", "bibandwidth", "stream", "put-bandwidth")
# Every program is expected to have loops for them.
BASIC = ("latency", "bandwidth", "bibandwidth", "stream", "faces", "barrier", "bcast", "reduce", "allreduce",
    "gather", "scatter", "allgather", "alltoall", "pingpong-int", "object", "datatype", "ring")
# Each destination gets its own.
APIECE = ("scatter", "alltoall", "reduce-scatter", "neighbor-alltoall", "scatterv", "alltoallv")
UNEVEN = ("gatherv", "scatterv", "allgatherv", "alltoallv")  # pieces differ in size
CREATING = ("dup", "split")  # the call makes a communicator
# What data go through that do not go from rank to rank.
THROUGH = {"shared": "memory", "write-at": "file", "write-at-all": "file", "read-at": "file", "read-at-all": "file"}
ONE_BUFFER = ("bcast", "ibcast")  # to send from and receive into
ONE_SIDED = ("put", "get", "accumulate", "put-bandwidth")  # rank 0 accesses a window of rank 1
NONBLOCKING = ("ibcast", "iallreduce")  # a call and a wait

BENCHMARKS = {
    "latency": Benchmark("pair", ("standard", "standard-nonblocking", "standard-persistent", "synchronous",
        "synchronous-nonblocking", "synchronous-persistent", "buffered", "buffered-nonblocking",
        "buffered-persistent", "ready", "ready-nonblocking", "ready-persistent", "sendrecv"),
        ("bytes", "float64", "int", "dict", "array"), ("one", "one"), ("one", "one"), "peer", "contiguous",
        "", 0),
    "bandwidth": Benchmark("pair", ("standard",), ("bytes", "float64", "array"), ("window", "none"),
        ("none", "window"), "peer", "contiguous", "", 0),
    "bibandwidth": Benchmark("pair", ("standard",), ("bytes", "float64", "array"), ("window", "window"),
        ("window", "window"), "peer", "contiguous", "", 0),
    "stream": Benchmark("pair", ("standard", "synchronous", "buffered", "ready"),
        ("bytes", "float64", "array"), ("window", "none"), ("none", "window"), "peer", "contiguous", "", 0),
    "faces": Benchmark("pair", ("contiguous", "rows", "elements"), ("float64",), ("one", "one"),
        ("one", "one"), "peer", "face", "", 0),
    "barrier": Benchmark("joint", ("standard",), ("none",), ("none", "none"), ("none", "none"), "nobody",
        "contiguous", "Barrier", 0),
    "bcast": Benchmark("rooted", ("standard",), ("bytes", "float64", "int", "dict", "array"), ("one", "none"),
        ("none", "one"), "root", "contiguous", "Bcast", 0),
    "reduce": Benchmark("rooted", ("standard",), ("float64", "float", "array"), ("one", "one"),
        ("one", "none"), "sum", "contiguous", "Reduce", 0),
    "allreduce": Benchmark("joint", ("standard",), ("float64", "float", "array"), ("one", "one"),
        ("one", "one"), "sum", "contiguous", "Allreduce", 0),
    "gather": Benchmark("rooted", ("standard",), ("bytes", "float64", "int", "dict", "array"), ("one", "one"),
        ("all", "none"), "each", "contiguous", "Gather", 0),
    "scatter": Benchmark("rooted", ("standard",), ("bytes", "float64", "int", "dict", "array"),
        ("all", "none"), ("one", "one"), "root", "contiguous", "Scatter", 0),
    "allgather": Benchmark("joint", ("standard",), ("bytes", "float64", "int", "dict", "array"),
        ("one", "one"), ("all", "all"), "each", "contiguous", "Allgather", 0),
    "alltoall": Benchmark("joint", ("standard",), ("bytes", "float64", "int", "dict", "array"),
        ("all", "all"), ("all", "all"), "each", "contiguous", "Alltoall", 0),
    "pingpong-int": Benchmark("pair", ("standard",), ("int32",), ("one", "one"), ("one", "one"), "peer",
        "contiguous", "", 0),
    "object": Benchmark("pair", ("standard",), ("int", "string", "list", "map", "nested", "instance"),
        ("one", "one"), ("one", "one"), "peer", "contiguous", "", 0),
    "datatype": Benchmark("pair", ("contiguous", "vector", "indexed", "struct"), ("float64",), ("one", "one"),
        ("one", "one"), "peer", "layout", "", 0),
    "ring": Benchmark("cycle", ("standard",), ("bytes", "int32", "int"), ("one", "none"), ("one", "one"),
        "root", "contiguous", "", 0),
    "plan": Benchmark("pair", ("standard",), ("float64",), (100, 100), (100, 100), "peer", "contiguous", "",
        0),
    "halo": Benchmark("pair", ("standard",), ("float64",), (6, 6), (6, 6), "peer", "halo", "", 0),
    "inner-product": Benchmark("rooted", ("standard",), ("problem",), ("none", "none"), ("none", "none"),
        "nobody", "contiguous", "", 1),
    "wave": Benchmark("application", ("blocking", "overlapped"), ("problem",), ("none", "none"),
        ("none", "none"), "nobody", "contiguous", "", 3),
    "poisson-cg": Benchmark("application", ("blocking", "overlapped", "merged"), ("problem",),
        ("none", "none"), ("none", "none"), "nobody", "contiguous", "", 2),
    "matmul": Benchmark("application", ("standard",), ("problem",), ("none", "none"), ("none", "none"),
        "nobody", "contiguous", "", 2),
    "sort": Benchmark("application", ("standard",), ("problem",), ("none", "none"), ("none", "none"),
        "nobody", "contiguous", "", 1),
    "triad": Benchmark("joint", ("standard", "in-place"), ("problem",), ("none", "none"), ("none", "none"),
        "nobody", "contiguous", "", 1),
    "reduce-scatter": Benchmark("joint", ("standard",), ("float64", "array"), ("all", "all"), ("one", "one"),
        "sum", "contiguous", "Reduce_scatter_block", 0),
    "ibcast": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "none"), ("none", "one"),
        "root", "contiguous", "Ibcast", 0),
    "neighbor-alltoall": Benchmark("joint", ("standard",), ("bytes", "float64", "array"), (2, 2), (2, 2),
        "neighbors", "contiguous", "Neighbor_alltoall", 0),
    "iallreduce": Benchmark("joint", ("standard",), ("float64", "float", "array"), ("one", "one"),
        ("one", "one"), "sum", "contiguous", "Iallreduce", 0),
    "put": Benchmark("pair", ("flush", "fence"), ("bytes", "float64"), ("one", "none"), ("none", "one"),
        "peer", "contiguous", "Put", 0),
    "get": Benchmark("pair", ("flush", "fence"), ("bytes", "float64"), ("none", "one"), ("one", "none"),
        "peer", "contiguous", "Get", 0),
    "accumulate": Benchmark("pair", ("flush", "fence"), ("float64",), ("one", "none"), ("none", "one"), "sum",
        "contiguous", "Accumulate", 0),
    "put-bandwidth": Benchmark("pair", ("flush", "fence"), ("bytes", "float64"), ("window", "none"),
        ("none", "window"), "peer", "contiguous", "Put", 0),
    "gatherv": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "one"), ("all", "none"),
        "each", "contiguous", "Gatherv", 0),
    "scatterv": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("all", "none"), ("one", "one"),
        "root", "contiguous", "Scatterv", 0),
    "allgatherv": Benchmark("joint", ("standard",), ("bytes", "float64"), ("one", "one"), ("all", "all"),
        "each", "contiguous", "Allgatherv", 0),
    "alltoallv": Benchmark("joint", ("standard",), ("bytes", "float64"), ("all", "all"), ("all", "all"),
        "each", "contiguous", "Alltoallv", 0),
    "dup": Benchmark("joint", ("standard",), ("none",), ("none", "none"), ("none", "none"), "nobody",
        "contiguous", "Dup", 0),
    "split": Benchmark("joint", ("standard",), ("none",), ("none", "none"), ("none", "none"), "nobody",
        "contiguous", "Split", 0),
    "shared": Benchmark("joint", ("standard",), ("bytes", "float64"), ("one", "one"), ("one", "one"),
        "neighbors", "contiguous", "Shared", 0),
    "write-at": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "one"), ("one", "one"),
        "neighbors", "contiguous", "Write_at", 0),
    "write-at-all": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "one"), ("one", "one"),
        "neighbors", "contiguous", "Write_at_all", 0),
    "read-at": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "one"), ("one", "one"),
        "neighbors", "contiguous", "Read_at", 0),
    "read-at-all": Benchmark("rooted", ("standard",), ("bytes", "float64"), ("one", "one"), ("one", "one"),
        "neighbors", "contiguous", "Read_at_all", 0),
}

# Bytes of an element, of the smallest and of the largest message.
SIZES = {
    "none": (1, 0, 0),
    "bytes": (1, 0, 9223372036854775807),
    "float64": (8, 0, 9223372036854775807),
    "int": (8, 8, 8),
    "float": (8, 8, 8),
    "dict": (24, 24, 24),
    "array": (8, 8, 9223372036854775807),
    "int32": (4, 0, 9223372036854775807),
    "string": (32, 32, 32),
    "list": (800, 800, 800),
    "map": (320, 320, 320),
    "nested": (144, 144, 144),
    "instance": (24, 24, 24),
    "problem": (8, 8, 9223372036854775807),
}

# A mode of datatype: elements of a group, and the places of those that are sent.
LAYOUTS = {
    "contiguous": (4, (0, 1, 2, 3)),
    "vector": (8, (0, 2, 4, 6)),
    "indexed": (6, (0, 2, 3, 4)),
    "struct": (5, (0, 1, 3, 4)),
}
# fmt: on

KINDS = {name: benchmark.kind for name, benchmark in BENCHMARKS.items()}
MODES = {name: benchmark.modes for name, benchmark in BENCHMARKS.items()}
PAYLOADS = {name: benchmark.payloads for name, benchmark in BENCHMARKS.items()}
SENDS = {name: benchmark.sends for name, benchmark in BENCHMARKS.items()}
GETS = {name: benchmark.gets for name, benchmark in BENCHMARKS.items()}
ORIGINS = {name: benchmark.origin for name, benchmark in BENCHMARKS.items()}
SHAPES = {name: benchmark.shape for name, benchmark in BENCHMARKS.items() if benchmark.shape != "contiguous"}
CALLS = {name: benchmark.call for name, benchmark in BENCHMARKS.items() if benchmark.call}
DIMENSIONS = {name: benchmark.dimensions for name, benchmark in BENCHMARKS.items() if benchmark.dimensions}
