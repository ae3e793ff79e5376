"""What Keras' own `conftest.py` gives its tests. The wheel leaves that file out, and seven test files import it.

`tools/keras_tests.py` puts this folder on the path and loads the file with `-p conftest`.
"""

import os

os.environ["JAX_DEFAULT_DTYPE_BITS"] = "32"  # tests that enable 64 bits in JAX expect Keras' default, 32

import keras  # reads the variable above
import pytest


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "requires_trainable_backend: the test needs gradients; the TensorFlow backend has them"
    )
    config.addinivalue_line("markers", "multi_device: the test needs several devices")


def skip_if_backend(given_backend: str, reason: str):
    """A mark: skip the test on this backend."""
    return pytest.mark.skipif(keras.backend.backend() == given_backend, reason=reason)
