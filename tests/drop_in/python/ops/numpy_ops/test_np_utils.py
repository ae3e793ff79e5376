"""Docstrings of functions that imitate NumPy's."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.numpy_ops import np_utils


@pytest.fixture(autouse=True)
def settings():
    """The settings as they were."""
    form, strict = np_utils.get_np_doc_form(), np_utils.is_sig_mismatch_an_error()
    yield
    np_utils.set_np_doc_form(form)
    np_utils.set_is_sig_mismatch_an_error(strict)


def rounded(x):
    """Ours."""


def theirs(x, y=1, **more):
    """Theirs.

    >>> 1
    """


def described(*args, form="stable", **kwargs):
    def function(x):
        """Ours."""

    np_utils.set_np_doc_form(form)
    return np_utils.np_doc(*args, **kwargs)(function).__doc__


def test_docstrings():
    assert described("theirs", theirs, form="inlined") == (
        "TensorFlow variant of NumPy's `theirs`.\n\nUnsupported arguments: `y`, `more`.\n\nOurs.\n\nDocumentation for "
        "`numpy.theirs`:\n\n"
        "Theirs.\n\n    > 1\n    "
    )
    page = "https://numpy.org/doc/1.16/reference/generated/numpy.around.html"
    assert described("rounded", link=np_utils.AliasOf("around"), form="1.16").endswith(f"[`numpy.rounded`]({page}).")
    assert described("sin", form="dev").endswith("(https://numpy.org/devdocs/reference/generated/numpy.sin.html).")
    assert "Unsupported arguments: `out`, `where`" in described("sin")
    for quiet in (described("rounded", form="1.x"), described("rounded", link=np_utils.NoLink())):
        assert quiet == "TensorFlow variant of NumPy's `rounded`.\n\nOurs.\n\n"
    assert np_utils.np_doc_only("rounded")(rounded).__doc__.startswith(
        "TensorFlow variant of NumPy's `rounded`.\n\nOurs.\n\nSee"
    )


def test_parameters_that_must_agree():
    np_utils.set_is_sig_mismatch_an_error(True)
    for ours, words in (
        (lambda a: a, "Cannot find parameter a"),
        (lambda x, more: x, "more is of kind"),
        (lambda x, y: x, "y should have a default"),
    ):
        with pytest.raises(TypeError, match=words):
            np_utils.np_doc(None, theirs)(ours)


def test_what_numpy_is_asked_about():
    assert np_utils._maybe_get_dtype(tf.constant(1.0)) is np.float32
    assert np_utils._maybe_get_dtype(3) == 3
    with pytest.raises(ValueError, match="sequence"):
        np_utils._maybe_get_dtype([1])


def test_values_that_are_known_while_a_graph_is_built():
    with tf.Graph().as_default():
        known, number, open_ = tf.constant([1, 2]), tf.constant(1.5), tf.compat.v1.placeholder(tf.int32, [2])
        assert np_utils.get_static_value(known).tolist() == [1, 2] and np_utils.get_static_value(number) is None
        assert np_utils.add(known, 1).tolist() == [2, 3] and np_utils.subtract(known, 1).tolist() == [0, 1]
        assert (
            np_utils.getitem(known, 1) == 2 and tf.is_tensor(np_utils.add(open_, 1))
            and tf.is_tensor(np_utils.greater(open_, 0))
        )
        assert np_utils.greater_equal(1, 1) and not np_utils.less_equal(1, 0)
        assert not np_utils.reduce_all(tf.constant([True, False])) and np_utils.reduce_any(tf.constant([True, False]))
        assert np_utils.logical_and(True, tf.constant(True)) and np_utils.logical_or(False, True)
        assert (
            np_utils.cond(tf.constant(True), lambda: 1, lambda: 2) == 1
            and tf.is_tensor(np_utils.cond(open_[0] > 0, lambda: 1, lambda: 2))
        )
        assert np_utils.tf_rank(open_) == 1 and tf.is_tensor(np_utils.tf_rank(tf.compat.v1.placeholder(tf.int32)))


def test_shapes_and_dtypes():
    assert np_utils.isscalar(1) and np_utils.isscalar(tf.constant(1)) and not np_utils.isscalar([1])
    assert [x.shape for x in np_utils.tf_broadcast(tf.ones([2, 1]), tf.ones([3]))] == [[2, 3], [2, 3]]
    assert (
        np_utils.result_type_unary(tf.constant(1), None) == tf.int32
        and np_utils.result_type_unary("a", None) is np.str_
    )
