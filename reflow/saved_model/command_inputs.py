"""The inputs that the command line of `saved_model_cli run` names: files, Python literals and tf.train.Examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from reflow.core.logging import warn
from reflow.io.examples import Example


def preprocess_inputs_arg_string(inputs_str: str) -> dict[str, tuple[str, str | None]]:
    """The file, and the name in it or None, of each input: `x=file.npy;y=file.npz[name]`.

    Raises:
      RuntimeError: The text has another form.
    """
    found: dict[str, tuple[str, str | None]] = {}
    for part in filter(None, inputs_str.split(";")):
        match = re.fullmatch(r"([^=]+)=([^\[\]]+)(?:\[([^\[\]]+)\])?", part)
        if match is None:
            raise RuntimeError(
                f'--inputs "{part}" format is incorrect. Please follow"<input_key>=<filename>", or'
                '"<input_key>=<filename>[<variable_name>]"'
            )
        found[match[1]] = match[2], match[3]
    return found


def preprocess_input_exprs_arg_string(input_exprs_str: str, safe: bool = True) -> dict[str, Any]:
    """The value of each input, a Python literal: `x=[[1.0, 2.0]];y="text"`.

    With `safe=False` it is an expression, which may use NumPy as `np`.

    Raises:
      RuntimeError: The text has another form, or a value is no literal.
    """
    found = {}
    for part in filter(None, input_exprs_str.split(";")):
        name, equals, expression = part.partition("=")
        if not equals:
            raise RuntimeError(
                f'--input_exprs "{input_exprs_str}" format is incorrect. Please follow'
                '"<input_key>=<python expression>"'
            )
        if not safe:
            found[name] = eval(expression)
            continue
        try:
            found[name] = ast.literal_eval(expression)
        except Exception as error:
            raise RuntimeError(f'Expression "{expression}" is not a valid python literal.') from error
    return found


def preprocess_input_examples_arg_string(input_examples_str: str) -> dict[str, list[bytes]]:
    """The serialized tf.train.Examples of each input: `x=[{"age": [24], "name": ["a"]}]`.

    Raises:
      ValueError: An input is no list, or a feature no list of numbers or texts.
    """
    found = {}
    for name, examples in preprocess_input_exprs_arg_string(input_examples_str).items():
        if not isinstance(examples, list):
            raise ValueError(
                f'tf.Example input must be a list of dictionaries, but "{examples}" is {type(examples)}'
            )
        found[name] = [_create_example_string(example) for example in examples]
    return found


def _create_example_string(example_dict: Mapping[str, Any]) -> bytes:
    """A serialized tf.train.Example."""
    example = Example()
    for name, values in example_dict.items():
        if not isinstance(values, list):
            raise ValueError(f'feature value must be a list, but {name}: "{values}" is {type(values)}')
        feature, first = example.features.feature[name], values[0]
        if isinstance(first, float):
            feature.float_list.value.extend(values)
        elif isinstance(first, (str, bytes)):
            feature.bytes_list.value.extend([v.encode() if isinstance(v, str) else v for v in values])
        elif isinstance(first, int):
            feature.int64_list.value.extend(values)
        else:
            raise ValueError(f"Type {type(first)} for value {first} is not supported for tf.train.Feature.")
    return example.SerializeToString()


def load_inputs_from_input_arg_string(
    inputs_str: str, input_exprs_str: str, input_examples_str: str, allow_pickle: bool = True
) -> dict[str, Any]:
    """The values of all inputs. Literals go before files, examples before both.

    A pickled file runs code when it is read; it is refused without `allow_pickle`.

    Raises:
      RuntimeError: A file has no array of the name, or several and none is named.
    """
    files = preprocess_inputs_arg_string(inputs_str)
    found = {key: _read(path, name, allow_pickle) for key, (path, name) in files.items()}
    later = {
        "--input_exprs": preprocess_input_exprs_arg_string(input_exprs_str),
        "--input_examples": preprocess_input_examples_arg_string(input_examples_str),
    }
    for option, values in later.items():
        for key, value in values.items():
            if key in found:
                warn("input_key %s has been specified in multiple options. Value in %s will be used.", key, option)
            found[key] = value
    return found


def _read(path: str, name: str | None, allow_pickle: bool) -> Any:
    data = np.load(path, allow_pickle=allow_pickle)
    if name is not None:
        if isinstance(data, np.ndarray):
            warn('Input file %s contains a single ndarray. Name key "%s" ignored.', path, name)
            return data
        if name not in data:
            raise RuntimeError(f'Input file {path} does not contain variable with name "{name}".')
        return data[name]
    if not isinstance(data, np.lib.npyio.NpzFile):
        return data
    if len(data.files) != 1:
        raise RuntimeError(
            f"Input file {path} contains more than one ndarrays. Please specify the name of ndarray to use."
        )
    return data[data.files[0]]
