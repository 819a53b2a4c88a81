"""Step 1: the inner product of two vectors, in one process.

    python examples/steps/step1_one_process.py

There is no MPI yet.
"""

import numpy as np

LENGTH = 1_000_003

i = np.arange(LENGTH)
x = 1 / (i + 1)
y = (i + 1) * (1 + i % 3)  # so that x * y is 1, 2, 3, 1, 2, 3, ...

product = x @ y

print(f"the inner product is {product:.6f}")
assert abs(product / (2 * LENGTH - 1) - 1) < 1e-12
