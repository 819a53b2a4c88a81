"""What can be measured. Made from src/polympi/lab/catalogue.toml by bindings/harness/generate.py: make catalogue."""

from __future__ import annotations

PAGES = ("huge", "plain")
LARGEST_FACE_EDGE = 258
HALO_FACES = 6
SMALLEST_EDGE = 3
WINDOWED = ("bandwidth", "bibandwidth", "stream")
# Every program is expected to have loops for them.
BASIC = (
    "latency",
    "bandwidth",
    "bibandwidth",
    "stream",
    "faces",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "pingpong-int",
    "object",
    "datatype",
    "ring",
)
APIECE = ("scatter", "alltoall", "reduce-scatter", "neighbor-alltoall")  # each destination gets its own
ONE_BUFFER = ("bcast", "ibcast")  # to send from and receive into
NONBLOCKING = ("ibcast",)  # a call and a wait

# Who takes part, and how it is timed.
KINDS: dict[str, str] = {
    "latency": "pair",
    "bandwidth": "pair",
    "bibandwidth": "pair",
    "stream": "pair",
    "faces": "pair",
    "barrier": "joint",
    "bcast": "rooted",
    "reduce": "rooted",
    "allreduce": "joint",
    "gather": "rooted",
    "scatter": "rooted",
    "allgather": "joint",
    "alltoall": "joint",
    "pingpong-int": "pair",
    "object": "pair",
    "datatype": "pair",
    "ring": "cycle",
    "plan": "pair",
    "halo": "pair",
    "inner-product": "rooted",
    "wave": "application",
    "poisson-cg": "application",
    "matmul": "application",
    "sort": "application",
    "triad": "joint",
    "reduce-scatter": "joint",
    "ibcast": "rooted",
    "neighbor-alltoall": "joint",
}

# The main one first.
MODES: dict[str, tuple[str, ...]] = {
    "latency": (
        "standard",
        "standard-nonblocking",
        "standard-persistent",
        "synchronous",
        "synchronous-nonblocking",
        "synchronous-persistent",
        "buffered",
        "buffered-nonblocking",
        "buffered-persistent",
        "ready",
        "ready-nonblocking",
        "ready-persistent",
        "sendrecv",
    ),
    "bandwidth": ("standard",),
    "bibandwidth": ("standard",),
    "stream": ("standard", "synchronous", "buffered", "ready"),
    "faces": ("contiguous", "rows", "elements"),
    "barrier": ("standard",),
    "bcast": ("standard",),
    "reduce": ("standard",),
    "allreduce": ("standard",),
    "gather": ("standard",),
    "scatter": ("standard",),
    "allgather": ("standard",),
    "alltoall": ("standard",),
    "pingpong-int": ("standard",),
    "object": ("standard",),
    "datatype": ("contiguous", "vector", "indexed", "struct"),
    "ring": ("standard",),
    "plan": ("standard",),
    "halo": ("standard",),
    "inner-product": ("standard",),
    "wave": ("blocking", "overlapped"),
    "poisson-cg": ("blocking", "overlapped", "merged"),
    "matmul": ("standard",),
    "sort": ("standard",),
    "triad": ("standard", "in-place"),
    "reduce-scatter": ("standard",),
    "ibcast": ("standard",),
    "neighbor-alltoall": ("standard",),
}

# The main one first.
PAYLOADS: dict[str, tuple[str, ...]] = {
    "latency": ("bytes", "float64", "int", "dict", "array"),
    "bandwidth": ("bytes", "float64", "array"),
    "bibandwidth": ("bytes", "float64", "array"),
    "stream": ("bytes", "float64", "array"),
    "faces": ("float64",),
    "barrier": ("none",),
    "bcast": ("bytes", "float64", "int", "dict", "array"),
    "reduce": ("float64", "float", "array"),
    "allreduce": ("float64", "float", "array"),
    "gather": ("bytes", "float64", "int", "dict", "array"),
    "scatter": ("bytes", "float64", "int", "dict", "array"),
    "allgather": ("bytes", "float64", "int", "dict", "array"),
    "alltoall": ("bytes", "float64", "int", "dict", "array"),
    "pingpong-int": ("int32",),
    "object": ("int", "string", "list", "map", "nested", "instance"),
    "datatype": ("float64",),
    "ring": ("bytes", "int32", "int"),
    "plan": ("float64",),
    "halo": ("float64",),
    "inner-product": ("problem",),
    "wave": ("problem",),
    "poisson-cg": ("problem",),
    "matmul": ("problem",),
    "sort": ("problem",),
    "triad": ("problem",),
    "reduce-scatter": ("float64", "array"),
    "ibcast": ("bytes", "float64"),
    "neighbor-alltoall": ("bytes", "float64", "array"),
}

# Messages of rank 0 and of another rank.
SENDS: dict[str, tuple[str | int, str | int]] = {
    "latency": ("one", "one"),
    "bandwidth": ("window", "none"),
    "bibandwidth": ("window", "window"),
    "stream": ("window", "none"),
    "faces": ("one", "one"),
    "barrier": ("none", "none"),
    "bcast": ("one", "none"),
    "reduce": ("one", "one"),
    "allreduce": ("one", "one"),
    "gather": ("one", "one"),
    "scatter": ("all", "none"),
    "allgather": ("one", "one"),
    "alltoall": ("all", "all"),
    "pingpong-int": ("one", "one"),
    "object": ("one", "one"),
    "datatype": ("one", "one"),
    "ring": ("one", "none"),
    "plan": (100, 100),
    "halo": (6, 6),
    "inner-product": ("none", "none"),
    "wave": ("none", "none"),
    "poisson-cg": ("none", "none"),
    "matmul": ("none", "none"),
    "sort": ("none", "none"),
    "triad": ("none", "none"),
    "reduce-scatter": ("all", "all"),
    "ibcast": ("one", "none"),
    "neighbor-alltoall": (2, 2),
}

# Likewise.
GETS: dict[str, tuple[str | int, str | int]] = {
    "latency": ("one", "one"),
    "bandwidth": ("none", "window"),
    "bibandwidth": ("window", "window"),
    "stream": ("none", "window"),
    "faces": ("one", "one"),
    "barrier": ("none", "none"),
    "bcast": ("none", "one"),
    "reduce": ("one", "none"),
    "allreduce": ("one", "one"),
    "gather": ("all", "none"),
    "scatter": ("one", "one"),
    "allgather": ("all", "all"),
    "alltoall": ("all", "all"),
    "pingpong-int": ("one", "one"),
    "object": ("one", "one"),
    "datatype": ("one", "one"),
    "ring": ("one", "one"),
    "plan": (100, 100),
    "halo": (6, 6),
    "inner-product": ("none", "none"),
    "wave": ("none", "none"),
    "poisson-cg": ("none", "none"),
    "matmul": ("none", "none"),
    "sort": ("none", "none"),
    "triad": ("none", "none"),
    "reduce-scatter": ("one", "one"),
    "ibcast": ("none", "one"),
    "neighbor-alltoall": (2, 2),
}

# Of the arrays of an application.
DIMENSIONS: dict[str, int] = {
    "inner-product": 1,
    "wave": 3,
    "poisson-cg": 2,
    "matmul": 2,
    "sort": 1,
    "triad": 1,
}

# Who made what arrives.
ORIGINS: dict[str, str] = {
    "latency": "peer",
    "bandwidth": "peer",
    "bibandwidth": "peer",
    "stream": "peer",
    "faces": "peer",
    "barrier": "nobody",
    "bcast": "root",
    "reduce": "sum",
    "allreduce": "sum",
    "gather": "each",
    "scatter": "root",
    "allgather": "each",
    "alltoall": "each",
    "pingpong-int": "peer",
    "object": "peer",
    "datatype": "peer",
    "ring": "root",
    "plan": "peer",
    "halo": "peer",
    "inner-product": "nobody",
    "wave": "nobody",
    "poisson-cg": "nobody",
    "matmul": "nobody",
    "sort": "nobody",
    "triad": "nobody",
    "reduce-scatter": "sum",
    "ibcast": "root",
    "neighbor-alltoall": "neighbors",
}

# How a message lies in memory that has gaps.
SHAPES: dict[str, str] = {
    "faces": "face",
    "datatype": "layout",
    "halo": "halo",
}

# The call of a collective in MPI, without MPI_.
CALLS: dict[str, str] = {
    "barrier": "Barrier",
    "bcast": "Bcast",
    "reduce": "Reduce",
    "allreduce": "Allreduce",
    "gather": "Gather",
    "scatter": "Scatter",
    "allgather": "Allgather",
    "alltoall": "Alltoall",
    "reduce-scatter": "Reduce_scatter_block",
    "ibcast": "Ibcast",
    "neighbor-alltoall": "Neighbor_alltoall",
}

# Bytes of an element, of the smallest and of the largest message.
SIZES: dict[str, tuple[int, int, int]] = {
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
LAYOUTS: dict[str, tuple[int, tuple[int, ...]]] = {
    "contiguous": (4, (0, 1, 2, 3)),
    "vector": (8, (0, 2, 4, 6)),
    "indexed": (6, (0, 2, 3, 4)),
    "struct": (5, (0, 1, 3, 4)),
}
