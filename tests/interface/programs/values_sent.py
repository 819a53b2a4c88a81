"""Small and large objects: in one message, announced, outside it in one part, in several."""

import numpy as np

VALUES = [
    None,
    7,
    "text",
    {"a": [1, (2.5, None)]},
    b"x" * 5000,
    "y" * 9000,
    ["z" * 9000, 1],
    np.arange(10.0),
    np.arange(500_000),
    np.ones((300, 400), "f4")[::2, ::3],
    [np.arange(3000), "x" * 100_000, {1: np.zeros(9999)}],
    bytearray(b"u" * 3_000_000),
    np.zeros((0, 3)),
    [[0] * 3000],
]
