"""What programs do around `fit`, compared with TensorFlow.

Histories, files, policies, preprocessing layers, printed text.
"""


import numpy as np
import pytest

import reflow
from tests import recorded

reflow.install_as_tensorflow()

import keras  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.keras.feature_programs import FEATURES  # noqa: E402
from tests.keras.feature_values import plain  # noqa: E402

GOLDEN = recorded("keras_features")
#: 16-bit activations: half a unit in the last place of bfloat16 is 4e-3 of a value
TOLERANCE = {"policies": 1e-2}


def compare(found, expected, tolerance, path=""):
    """Equal structure and strings, close numbers; the message says where."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), path
        for key in expected:
            compare(found[key], expected[key], tolerance, f"{path}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), path
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            compare(one, other, tolerance, f"{path}[{i}]")
    elif isinstance(expected, float):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-6, err_msg=path)
    else:
        assert found == expected, path


@pytest.mark.filterwarnings(
    "ignore:.*shuffle=True", "ignore:.*HDF5 file", "ignore:.*ran out of data", "ignore:__array__ implementation",
    "ignore:Skipping variable loading",
)
@pytest.mark.parametrize("name", FEATURES)
def test_feature_is_tensorflows(name, tmp_path):
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    compare(plain(FEATURES[name](keras, tf, str(tmp_path))), GOLDEN[name], TOLERANCE.get(name, 2e-4), name)
