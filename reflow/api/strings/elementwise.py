"""`tf.strings`: elementwise functions of string tensors, including ragged ones."""

from __future__ import annotations

import functools
import inspect
from typing import Any, cast

from reflow.api.call import call, takes
from reflow.api.export import Made, export, with_sections
from reflow.api.ragged.elementwise import map_flat_values
from reflow.api.strings.formatting import format_tensors
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops import opdef
from reflow.ops.convert import convert_to_tensor

TEXT = (str, bytes)


def string_tensor(x):
    return x if isinstance(x, Tensor) else convert_to_tensor(x, dtypes.string)  # the op itself says what it takes


def as_text(x) -> str:
    """A string argument as attributes hold it."""
    return x.decode(errors="surrogateescape") if isinstance(x, bytes) else x


def one_of(op: str, attr: str, value: str) -> str:
    """`value`, which must be among those the OpDef allows."""
    allowed = opdef.lookup(op).attrs[attr].allowed or ()
    if value not in allowed:
        names = ", ".join(f'"{a}"' for a in allowed)
        message = f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {names}"
        raise (
            ValueError(message) if state.graph is not None else InvalidArgumentError(None, None, f"{message} [Op:{op}]")
        )
    return value


def elementwise(function: Made) -> Made:
    """Let a function of one string tensor, its first argument, take a ragged one."""
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def aware(*args, **kwargs):
        if isinstance(args[0] if args else kwargs.get(first), RaggedTensor):
            return map_flat_values(function, *args, **kwargs)
        return function(*args, **kwargs)

    return cast(Made, aware)


# --- letters and numbers --------------------------------------------------------------------------------------------


_CASE = """\
Args:
  input: A tensor of strings, possibly ragged.
  encoding: `""` or `"utf-8"`.
  name: A name for the operation.

Returns:
  A tensor of strings of the same shape.
"""


@export("strings.lower")
@elementwise
@with_sections(_CASE)
def lower(input, encoding="", name=None):
    """Converts ASCII letters or, with `encoding="utf-8"`, all letters to lower case.

    >>> lower("CamelCase").numpy()
    b'camelcase'
    """
    return call("StringLower", (string_tensor(input),), {"encoding": as_text(encoding)}, name)


@export("strings.upper")
@elementwise
@with_sections(_CASE)
def upper(input, encoding="", name=None):
    """Converts ASCII letters or, with `encoding="utf-8"`, all letters to upper case.

    >>> [tf.strings.upper("größe", encoding).numpy().decode() for encoding in ("", "utf-8")]
    ['GRößE', 'GRÖSSE']
    """
    return call("StringUpper", (string_tensor(input),), {"encoding": as_text(encoding)}, name)


@export("strings.strip")
@elementwise
@takes("input: A tensor of strings, possibly ragged", returns="A tensor of strings of the same shape")
def strip(input, name=None):
    """Removes leading and trailing white space.

    >>> strip([" a ", "b\\n"]).numpy().tolist()
    [b'a', b'b']
    """
    return call("StringStrip", (string_tensor(input),), {}, name)


@export("strings.length")
@elementwise
def length(input, unit="BYTE", name=None):
    """Counts the bytes or, with `unit="UTF8_CHAR"`, the characters of strings.

    Args:
      input: A tensor of strings, possibly ragged.
      unit: `"BYTE"` or `"UTF8_CHAR"`.
      name: A name for the operation.

    Returns:
      An int32 tensor of the same shape.

    Raises:
      InvalidArgumentError: There is no such `unit`.

    >>> length(["né", ""]).numpy().tolist(), int(length("né", unit="UTF8_CHAR"))
    ([3, 0], 2)
    """
    return call("StringLength", (string_tensor(input),), {"unit": one_of("StringLength", "unit", unit)}, name)


@export("strings.substr")
@elementwise
def substr(input, pos, len, unit="BYTE", name=None):
    """Takes `len` bytes or characters of each string, starting at `pos`.

    Args:
      input: A tensor of strings, possibly ragged.
      pos: Where to start, negative to count from the end; integers that broadcast with `input`.
      len: How many to take at most, of the shape of `pos`.
      unit: `"BYTE"` or `"UTF8_CHAR"`.
      name: A name for the operation.

    Returns:
      A tensor of strings of the broadcast shape.

    Raises:
      InvalidArgumentError: `pos` lies outside a string, or the shapes do not fit.

    >>> substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']
    """
    pos = convert_to_tensor(pos)
    count = convert_to_tensor(len, pos.dtype)
    return call("Substr", (string_tensor(input), pos, count), {"unit": one_of("Substr", "unit", unit)}, name)


@export("strings.as_string", "as_string")
@elementwise
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Writes numbers and booleans as strings.

    Args:
      input: A tensor, possibly ragged.
      precision: How many digits follow the decimal point of floats; -1 for the default of six.
      scientific: Whether floats are written with an exponent.
      shortest: Whether floats are written in the shorter of both ways.
      width: The least number of characters; -1 for no padding.
      fill: What short numbers are padded with in front: `""` for spaces, or a character such as `"0"`.
      name: A name for the operation.

    Returns:
      A tensor of strings of the same shape.

    Raises:
      InvalidArgumentError: An option does not fit the dtype, or two of them each other.

    >>> as_string([3.1415926, 2.72], precision=2).numpy().tolist()
    [b'3.14', b'2.72']
    """
    attrs = {
        "precision": precision,
        "scientific": scientific,
        "shortest": shortest,
        "width": width,
        "fill": as_text(fill),
    }
    return call("AsString", (convert_to_tensor(input),), attrs, name)


@export("strings.to_number")
@elementwise
def to_number(input, out_type: Any = dtypes.float32, name=None):
    """Parses strings as numbers.

    Args:
      input: A tensor of strings, possibly ragged.
      out_type: The dtype of the result: `tf.float32`, `tf.float64`, `tf.int32` or `tf.int64`, among others.
      name: A name for the operation.

    Returns:
      A tensor of `out_type` of the same shape.

    Raises:
      InvalidArgumentError: A string is not such a number.

    >>> to_number(["1.5", " 2 "]).numpy().tolist()
    [1.5, 2.0]
    """
    return call("StringToNumber", (string_tensor(input),), {"out_type": dtypes.as_dtype(out_type)}, name)


# --- hashes ---------------------------------------------------------------------------------------------------------


_HASH_BUCKET = """\
Args:
  input: A tensor of strings, possibly ragged.
  num_buckets: How many buckets there are, at least 1.
  name: A name for the operation.

Returns:
  An int64 tensor of the same shape, of numbers in `[0, num_buckets)`.
"""


@export("strings.to_hash_bucket")
@elementwise
@with_sections(_HASH_BUCKET)
def to_hash_bucket(input, num_buckets, name=None):
    """Assigns strings to buckets by a hash that may differ between versions: prefer `to_hash_bucket_fast`.

    >>> tf.strings.to_hash_bucket(["a", "b"], 3).shape
    TensorShape([2])
    """
    return call("StringToHashBucket", (string_tensor(input),), {"num_buckets": num_buckets}, name)


@export("strings.to_hash_bucket_fast")
@elementwise
@with_sections(_HASH_BUCKET)
def to_hash_bucket_fast(input, num_buckets, name=None):
    """Assigns strings to buckets by a stable hash.

    >>> to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy().tolist()
    [0, 2, 2]
    """
    return call("StringToHashBucketFast", (string_tensor(input),), {"num_buckets": num_buckets}, name)


@export("strings.to_hash_bucket_strong")
@elementwise
def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """Assigns strings to buckets by a keyed hash, so that others cannot choose strings of one bucket.

    Args:
      input: A tensor of strings, possibly ragged.
      num_buckets: How many buckets there are, at least 1.
      key: The secret key, two integers.
      name: A name for the operation.

    Returns:
      An int64 tensor of the same shape, of numbers in `[0, num_buckets)`.

    Raises:
      InvalidArgumentError: `key` has not two elements.

    >>> to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy().tolist()
    [2, 0]
    """
    return call(
        "StringToHashBucketStrong", (string_tensor(input),), {"num_buckets": num_buckets, "key": list(key)}, name
    )


@export("fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    """Computes a fingerprint of eight bytes of each row of a tensor.

    Args:
      data: A tensor with at least one axis.
      method: `"farmhash64"`.
      name: A name for the operation.

    Returns:
      A uint8 matrix, [data.shape[0], 8].

    Raises:
      InvalidArgumentError: `data` is a scalar, or there is no such `method`.

    >>> fingerprint(["a"]).numpy().tolist()
    [[227, 117, 223, 182, 101, 66, 69, 179]]
    """
    return call("Fingerprint", (convert_to_tensor(data), string_tensor(method)), {}, name)


# --- regular expressions --------------------------------------------------------------------------------------------


@export("strings.regex_full_match")
@elementwise
def regex_full_match(input, pattern, name=None):
    """Tells whether a pattern matches each whole string.

    Args:
      input: A tensor of strings, possibly ragged.
      pattern: A regular expression in RE2's syntax, a scalar.
      name: A name for the operation.

    Returns:
      A bool tensor of the same shape.

    Raises:
      InvalidArgumentError: The pattern is invalid.

    >>> regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy().tolist()
    [True, False]
    """
    if isinstance(pattern, TEXT):
        return call("StaticRegexFullMatch", (string_tensor(input),), {"pattern": as_text(pattern)}, name)
    return call("RegexFullMatch", (string_tensor(input), string_tensor(pattern)), {}, name)


@export("strings.regex_replace")
@elementwise
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Replaces the matches of a pattern.

    Args:
      input: A tensor of strings, possibly ragged.
      pattern: A regular expression in RE2's syntax, a scalar.
      rewrite: What replaces a match, a scalar; `\1` to `\9` in it stand for the groups, `\0` for the match.
      replace_global: Whether all matches are replaced, rather than the first of each string.
      name: A name for the operation.

    Returns:
      A tensor of strings of the same shape.

    Raises:
      InvalidArgumentError: The pattern or `rewrite` is invalid.

    >>> regex_replace("Text with tags.<br /><b>contains html</b>", "<[^>]+>", " ").numpy()
    b'Text with tags.  contains html '
    """
    attrs: dict = {"replace_global": bool(replace_global)}
    if isinstance(pattern, TEXT) and isinstance(rewrite, TEXT):
        attrs |= {"pattern": as_text(pattern), "rewrite": as_text(rewrite)}
        return call("StaticRegexReplace", (string_tensor(input),), attrs, name)
    return call("RegexReplace", (string_tensor(input), string_tensor(pattern), string_tensor(rewrite)), attrs, name)


# --- tensors in a text -----------------------------------------------------------------------------------------------


@export("strings.format")
def format_(template, inputs, placeholder="{}", summarize=3, name=None):
    """Puts tensors into a text, as `tf.print` shows them.

    Args:
      template: The text, a Python string with a placeholder for each tensor.
      inputs: A tensor, or a list or tuple of tensors, possibly ragged.
      placeholder: What stands for a tensor in the template.
      summarize: How many elements to show at both ends of each axis; -1 for all.
      name: A name for the operation.

    Returns:
      A scalar string.

    Raises:
      ValueError: There are not as many placeholders as tensors.

    >>> tf.strings.format("tensor: {}", tf.constant([1, 2])).numpy()
    b'tensor: [1 2]'
    """
    if isinstance(inputs, (tuple, list)):
        tensors = list(inputs)
    else:
        tensors = [inputs]
    count = template.count(placeholder)
    if count != len(tensors):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(tensors)}. Please ensure the "
            "number of placeholders in template matches inputs length."
        )
    tensors = [t if isinstance(t, RaggedTensor) else convert_to_tensor(t) for t in tensors]
    return format_tensors(template, placeholder, tensors, summarize, name)


# --- base64 ---------------------------------------------------------------------------------------------------------


@export("io.encode_base64")
@elementwise
def encode_base64(input, pad=False, name=None):
    """Encodes strings in URL-safe base64, with `-` and `_`.

    Args:
      input: A tensor of strings, possibly ragged.
      pad: Whether to fill up with `=` to a multiple of four characters.
      name: A name for the operation.

    Returns:
      A tensor of strings of the same shape.

    >>> encode_base64("hi?").numpy(), decode_base64("aGk_").numpy()
    (b'aGk_', b'hi?')
    """
    return call("EncodeBase64", (string_tensor(input),), {"pad": bool(pad)}, name)


@export("io.decode_base64")
@elementwise
@takes("input: A tensor of strings, possibly ragged", returns="A tensor of strings of the same shape")
def decode_base64(input, name=None):
    """Decodes strings in URL-safe base64; padding may be omitted.

    Raises:
      InvalidArgumentError: A string is not valid base64.

    >>> tf.io.decode_base64("aGk").numpy()
    b'hi'
    """
    return call("DecodeBase64", (string_tensor(input),), {}, name)
