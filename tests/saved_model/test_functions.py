"""Functions read from a SavedModel."""

import numpy as np
import pytest

import reflow as tf
from tests.saved_model.models import Signed


def test_loaded_functions_keep_their_input_signature(tmp_path):
    tf.saved_model.save(Signed(), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.named.input_signature == (tf.TensorSpec([]), tf.TensorSpec([2]))
    assert loaded.named(np.array(1.5), [1, 2])["z"].numpy() == 3.0  # cast, as before saving
    with pytest.raises(TypeError, match=r"Can not cast 3.0 to Literal\[2.0\]"):
        loaded.named(1.0, [1.0, 2.0], by=3.0)
    assert loaded.many(2.0, np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


def test_loaded_functions_do_not_warn_about_retracing(tmp_path, caplog):
    module = tf.Module()
    module.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path)
    for _ in range(6):  # six functions with one body: each traces once
        assert tf.saved_model.load(tmp_path).double([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    assert not caplog.records
