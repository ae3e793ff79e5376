"""What notebooks show of tensors, variables, datasets and functions."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

import reflow as tf


def test_a_tensor_shows_shape_dtype_and_numbers():
    shown = tf.constant([[1.5, 2.0]])._repr_html_()
    assert "<b>tf.Tensor</b>" in shown and "(1, 2)" in shown and "float32" in shown and "[[1.5 2. ]]" in shown
    assert "..." in tf.range(1000)._repr_html_() and len(tf.range(100_000)._repr_html_()) < 1000


@pytest.mark.parametrize(
    ("shape", "dtype", "size"), [((10, 12, 3), "uint8", (12, 10)), ((300, 200, 1), "float32", (67, 100))]
)
def test_an_image_is_a_thumbnail(shape, dtype, size):
    pixels = np.random.default_rng(0).uniform(0, 1, shape)
    shown = tf.constant((pixels * 255).astype(dtype) if dtype == "uint8" else pixels.astype(dtype))._repr_html_()
    found = Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^']+)'", shown)[1])))
    assert found.size == size


def test_text_is_escaped():
    shown = tf.constant("<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown


def test_variables_datasets_and_functions():
    shown = tf.Variable([1, 2], name="weights")._repr_html_()
    assert "tf.Variable" in shown and "weights" in shown and "[1 2]" in shown and "trainable" in shown
    shown = tf.data.Dataset.range(5).batch(2)._repr_html_()
    assert (
        "TensorSpec(shape=(None,), dtype=tf.int64" in shown
        and "<td>elements</td><td style='text-align:left'>3</td>" in shown
    )
    f = tf.function(lambda x: x + 1, reduce_retracing=True)
    assert "<td>traces</td><td style='text-align:left'>0</td>" in f._repr_html_()
    f(tf.constant(1))
    assert "<td>traces</td><td style='text-align:left'>1</td>" in f._repr_html_() and "int32" in f._repr_html_()


def test_models_show_their_layers():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, name="hidden"), tf.keras.layers.Dense(1)])
    assert "not built yet" in model._repr_html_()
    model(tf.ones([2, 4]))
    shown = model._repr_html_()
    assert "<b>Sequential</b>" in shown and "hidden" in shown and "(2, 3)" in shown and "19" in shown


def test_small_images_are_shown_larger():
    assert "width='112'" in tf.zeros([28, 28, 1])._repr_html_() and "width" not in tf.zeros([100, 100, 1])._repr_html_()


def test_a_batch_of_images_is_a_row_of_them():
    shown = tf.zeros([12, 28, 28, 1])._repr_html_()
    assert shown.count("<img") == 8 and "…" in shown and "width='56'" in shown
    assert tf.zeros([2, 28, 28, 3], tf.uint8)._repr_html_().count("<img") == 2
    assert "<img" not in tf.zeros([12, 28, 28, 5])._repr_html_()
    assert "<img" not in tf.fill([12, 28, 28, 1], -1.0)._repr_html_()


def test_many_axes_show_few_rows():
    for shape in ([12, 28, 28, 5], [9] * 5, [100, 100]):
        assert tf.zeros(shape)._repr_html_().count("\n") < 60


def test_numbers_are_in_a_fixed_font():
    assert "font-family:monospace" in tf.ones([2, 2])._repr_html_()
