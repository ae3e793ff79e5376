"""What is wrong with an example or a sequence example, in TensorFlow's words.

TensorFlow parses a batch of examples, a single example and sequence examples by different code, whose messages differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from reflow.core import dtypes, errors
from reflow.ops.from_python import short_name


def invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


def _list_name(kind: dtypes.DType) -> str:
    return "bytes" if kind is dtypes.string else short_name(kind)


def _shape(dims: Sequence[int | None]) -> str:
    return f"[{','.join('?' if d is None else str(d) for d in dims)}]"


def wrong_type(where: str, actual: str, kind: dtypes.DType, dense: bool) -> errors.OpError:
    """A feature is a list of another type."""
    wanted = short_name(kind)
    both = f"Data type: {actual} but expected type: {wanted}"
    if not dense:
        both = f"Expected type: {wanted}, Actual type: {actual}"
    return invalid(f"{where}  Data types don't match. {both}")


def wrong_count(where: str, kind: dtypes.DType, count: int, dims: Sequence[int], alone: bool) -> errors.OpError:
    """A feature has not as many values as its shape. With too many strings, TensorFlow's parser stops without counting
    them; that of a single example always does."""
    name, too_many = _list_name(kind), kind is dtypes.string and count > math.prod(dims)
    if alone:
        why = f"Parsing {name}_list failed." if too_many else f"Some {name}_list slice was not parsed."
        return invalid(f"{where}  Can't parse serialized Example: {why}")
    if too_many:
        return invalid(f"{where}  Can't parse serialized Example.")
    sizes = f"Values size: {count} but output shape: {_shape(dims)}"
    return invalid(f"{where}  Number of {name} values != expected.  {sizes}")


def no_multiple(
    where: str, key: str, kind: dtypes.DType, count: int, dims: Sequence[int | None], alone: bool
) -> errors.OpError:
    """The values of a feature do not fill whole rows. The first size of `dims` is not known."""
    if alone:
        row = math.prod(d for d in dims if d is not None)
        words = f"number of elements should be divisible by {row}, found {count} instead"
        return invalid(f"Error while parsing feature with key {key}: {words}")
    words = f"Number of {_list_name(kind)} values is not a multiple of stride length."
    return invalid(f"{where}  {words} Saw {count} values but output shape is: {_shape(dims)}")


def wrong_step(name: str, key: str, step: int, count: int, total: int, dims: Sequence[int]) -> errors.OpError:
    """A step of a feature list has not as many values as its shape; nor do all steps together, maybe."""
    if total % math.prod(dims):
        words = f"Feature list '{key}' has an unexpected number of values."
        shape = _shape((None, *dims))
        return invalid(f"{words}  Total values size: {total} is not consistent with output shape: {shape}")
    words = f"Number of values != expected.  values size: {count} but output shape: {_shape(dims)}"
    return invalid(f"Name: {name}, Key: {key}, Index: {step}.  {words}")
