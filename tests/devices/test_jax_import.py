"""The first compiled function imports JAX. NumPy's seeded numbers do not notice."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import reflow as tf

np.random.seed(0)
print("jax" in sys.modules)
step = tf.function(lambda x: x * 2.0)
for _ in range(3):
    step(tf.constant(1.0))
import jax
print(np.random.rand())
"""


def test_importing_jax_draws_no_numbers():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0.5488135039273248"]
