"""Checkpoint files of version 1, written by one library and read by the other (`tests/golden/slice_files/`).

`one` holds a tensor of each type; `two` is a pattern of two files, each with some rows of the matrix `w`.
"""

from __future__ import annotations

import pathlib
import shutil

import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "slice_files"
TYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")  # what TensorFlow's own reader takes
MATRIX = np.arange(12.0, dtype=np.float32).reshape(6, 2)
PATTERN = "two-?????-of-00002"


def one() -> dict[str, np.ndarray]:
    values = {name: np.array([[0, 1, 2], [3, 4, 5]]).astype(name) for name in TYPES}
    words = np.array([b"", b"a longer one", b"\0\xff"], object)
    return {**values, "words": words, "a/scalar": np.array(-7, np.int64), "empty": np.zeros((0, 3), np.float32)}


def write(tf, folder: pathlib.Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    values = one()
    tf.raw_ops.Save(
        filename=str(folder / "one"), tensor_names=list(values), data=list(map(tf.constant, values.values()))
    )
    for i, (start, length) in enumerate(((0, 4), (4, 2))):
        tf.raw_ops.SaveSlices(
            filename=str(folder / f"two-{i:05d}-of-00002"), tensor_names=["w"],
            shapes_and_slices=[f"6 2 {start},{length}:-"], data=[tf.constant(MATRIX[start : start + length])],
        )


def read(tf, folder: pathlib.Path) -> bool:
    """Whether the values are those that were written, by each way to read them."""
    reader = tf.compat.v1.train.NewCheckpointReader(str(folder / "one"))
    same = [np.array_equal(reader.get_tensor(name), value) for name, value in one().items()]
    pattern = str(folder / PATTERN)
    whole = tf.raw_ops.Restore(file_pattern=pattern, tensor_name="w", dt=tf.float32)
    rows = tf.raw_ops.RestoreSlice(file_pattern=pattern, tensor_name="w", shape_and_slice="6 2 3,2:-", dt=tf.float32)
    (again,) = tf.raw_ops.RestoreV2(prefix=pattern, tensor_names=["w"], shape_and_slices=[""], dtypes=[tf.float32])
    same += [np.array_equal(whole, MATRIX), np.array_equal(rows, MATRIX[3:5]), np.array_equal(again, MATRIX)]
    return all(same) and set(reader.get_variable_to_shape_map()) == set(one())


def record() -> None:
    """TensorFlow writes its files."""
    import tensorflow as tf

    write(tf, GOLDEN)
    assert read(tf, GOLDEN)


def write_with_reflow(folder: pathlib.Path) -> None:
    import reflow

    write(reflow, folder)


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    return read(tf, folder)


if __name__ == "__main__":
    run(record, write_with_reflow, check)
