"""`tensorflow.python.tools.inspect_checkpoint`: print what a checkpoint holds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from reflow.core import errors
from reflow.train.checkpoint_reader import load_checkpoint


def _count_total_params(reader: Any, count_exclude_pattern: str = "") -> int:
    """How many numbers there are in all tensors but those whose names match a pattern; says so of these."""
    shapes = reader.get_variable_to_shape_map()
    left_out = {name for name in shapes if count_exclude_pattern and re.match(count_exclude_pattern, name)}
    sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
    if left_out:
        lost = sum(sizes[name] for name in left_out)
        print(f"# Excluding {len(left_out)} tensors ({lost} params) that match {count_exclude_pattern} when counting.")
    return sum(size for name, size in sizes.items() if name not in left_out)


def print_tensors_in_checkpoint_file(
    file_name: str, tensor_name: str | None, all_tensors: bool, all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Print tensors of a checkpoint, or their names, and how many numbers there are in all.

    Args:
      file_name: the checkpoint's prefix.
      tensor_name: the tensor to print; with none, and neither of the next two, the names with dtypes and shapes.
      all_tensors: print all of them.
      all_tensor_names: print the names of all.
      count_exclude_pattern: names that match this are not counted.
    """
    try:
        reader = load_checkpoint(file_name)
        if all_tensors or all_tensor_names:
            for name in sorted(reader.get_variable_to_shape_map()):
                _print(reader, name, all_tensors)
        elif not tensor_name:
            print(reader.debug_string().decode("utf-8", errors="ignore"))
        elif not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        else:
            _print(reader, tensor_name, True)
        print(f"# Total number of params: {_count_total_params(reader, count_exclude_pattern)}")
    except errors.OpError as error:  # as TensorFlow's tool does: it is run by people
        print(error.message)


def _print(reader: Any, name: str, with_value: bool) -> None:
    print(
        f"tensor: {name} ({reader.get_variable_to_dtype_map()[name].name}) {reader.get_variable_to_shape_map()[name]}"
    )
    if with_value:
        print(reader.get_tensor(name))
