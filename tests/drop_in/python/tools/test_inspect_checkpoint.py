"""What the tool prints about a checkpoint, as TensorFlow's does."""

import numpy as np

import reflow as tf
from reflow.drop_in.python.tools.inspect_checkpoint import print_tensors_in_checkpoint_file

v1 = tf.compat.v1


def test_names_and_values_are_printed(tmp_path, capsys):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("a", initializer=np.float32([[0, 1, 2], [3, 4, 5]]))
        v1.get_variable("b", initializer=np.int64(3))
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, path)
    print_tensors_in_checkpoint_file(path, "a", False, count_exclude_pattern="b")
    print_tensors_in_checkpoint_file(path, "", False, all_tensor_names=True)
    print_tensors_in_checkpoint_file(path, "c", False)
    print_tensors_in_checkpoint_file(path + "x", "a", False)
    assert capsys.readouterr().out.splitlines() == [
        "tensor: a (float32) [2, 3]", "[[0. 1. 2.]", " [3. 4. 5.]]",
        "# Excluding 1 tensors (1 params) that match b when counting.", "# Total number of params: 6",
        "tensor: a (float32) [2, 3]", "tensor: b (int64) []", "# Total number of params: 7",
        "Tensor c not found in checkpoint",
        f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {path}x",
    ]
