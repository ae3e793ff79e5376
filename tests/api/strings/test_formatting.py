"""What `tf.strings.format` and `tf.print` share: tensors and ragged tensors as text in a template."""

import reflow as tf
from reflow.api.strings.formatting import format_tensors


def test_a_ragged_tensor_takes_one_place():
    tensors = [tf.constant([1, 2]), tf.ragged.constant([["a"], [], ["b", "c"]])]
    text = format_tensors("{} and {}", "{}", tensors, summarize=3)
    assert text.numpy() == b"[1 2] and [['a'], [], ['b', 'c']]"
