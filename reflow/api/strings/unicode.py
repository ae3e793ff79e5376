"""`tf.strings`: Unicode: decoding to code points and characters, encoding, transcoding, scripts."""

from __future__ import annotations

from reflow.api.array import arrange, creation
from reflow.api.call import call, takes
from reflow.api.export import export, with_sections
from reflow.api.strings.elementwise import as_text, elementwise, one_of, string_tensor
from reflow.api.strings.rows import by_rows
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.tensor import Tensor
from reflow.ops.convert import constant, convert_to_tensor


def _decode(input, input_encoding, errors, replacement_char, controls, offsets: bool, name=None):
    op = "UnicodeDecodeWithOffsets" if offsets else "UnicodeDecode"
    attrs = {
        "input_encoding": as_text(input_encoding),
        "errors": one_of(op, "errors", as_text(errors)),
        "replacement_char": replacement_char,
        "replace_control_characters": controls,
    }

    def rows(flat):
        splits, values, *starts = call(op, (flat,), {**attrs, "Tsplits": dtypes.int64}, name)
        points = RaggedTensor.from_row_splits(values, splits, validate=False)
        return (points, points.with_values(starts[0])) if offsets else points

    return by_rows(rows, input)


_CODED = """\
Args:
  input: A tensor of strings, possibly ragged.
  input_encoding: The encoding of the strings, one that ICU knows, such as `"UTF-8"`, `"UTF-16-BE"` or `"US-ASCII"`.
  output_encoding: `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
  errors: What invalid bytes become: `"replace"` for `replacement_char`, `"ignore"` for nothing, `"strict"` for an
    error.
  replacement_char: The code point that stands for what is invalid.
  replace_control_characters: Whether control characters below 32 count as invalid too.
  name: A name for the operation.

Raises:
  InvalidArgumentError: The encoding is not known, or a string is invalid and `errors` is `"strict"`.
"""


@export("strings.unicode_decode")
@with_sections(_CODED)
def unicode_decode(
    input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None
):
    """Decodes strings to code points.

    Returns:
      A `RaggedTensor` of int32 with one more axis, of the code points; a vector for a scalar.

    >>> unicode_decode(["né"], "UTF-8").to_list()
    [[110, 233]]
    """
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, False, name)


@export("strings.unicode_decode_with_offsets")
@with_sections(_CODED)
def unicode_decode_with_offsets(
    input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None
):
    """Decodes strings to code points, and tells the byte where each starts.

    Returns:
      Two `RaggedTensor`s with one more axis: the code points, int32, and the bytes where they start, int64; vectors
      for a scalar.

    >>> [r.to_list() for r in unicode_decode_with_offsets(["éa"], "UTF-8")]
    [[[233, 97]], [[0, 2]]]
    """
    return _decode(input, input_encoding, errors, replacement_char, replace_control_characters, True, name)


def _characters(points, encoding):
    """Code points, each as a separate string."""
    if isinstance(points, RaggedTensor):
        return points.with_flat_values(_characters(points.flat_values, encoding))
    splits = creation.range(arrange.size(points, out_type=dtypes.int64) + 1)
    return call(
        "UnicodeEncode", (points, splits), {"output_encoding": encoding, "errors": "replace", "replacement_char": 65533}
    )


_SPLIT = """\
Args:
  input_encoding: The encoding of the strings and of the characters: `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
"""


@export("strings.unicode_split")
@with_sections(_CODED)
@with_sections(_SPLIT)
def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """Splits strings into characters.

    Returns:
      A `RaggedTensor` of strings with one more axis, of the characters; a vector for a scalar.

    >>> unicode_split("abc", "UTF-8").numpy().tolist()
    [b'a', b'b', b'c']
    """
    points = _decode(input, input_encoding, errors, replacement_char, False, False, name)
    return _characters(points, one_of("UnicodeEncode", "output_encoding", as_text(input_encoding)))


@export("strings.unicode_split_with_offsets")
@with_sections(_CODED)
@with_sections(_SPLIT)
def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """Splits strings into characters, and tells the byte where each starts.

    Returns:
      Two `RaggedTensor`s with one more axis: the characters, and the bytes where they start, int64; vectors for a
      scalar.

    >>> tf.strings.unicode_split_with_offsets("hé!", "UTF-8")[1].numpy().tolist()
    [0, 1, 3]
    """
    points, starts = _decode(input, input_encoding, errors, replacement_char, False, True, name)
    return _characters(points, one_of("UnicodeEncode", "output_encoding", as_text(input_encoding))), starts


@export("strings.unicode_encode")
def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    """Encodes code points along the last axis as strings.

    Args:
      input: A tensor of int32, possibly ragged, with at least one axis.
      output_encoding: `"UTF-8"`, `"UTF-16-BE"` or `"UTF-32-BE"`.
      errors: What invalid code points become: `"replace"` for `replacement_char`, `"ignore"` for nothing, `"strict"`
        for an error.
      replacement_char: The code point that stands for what is invalid.
      name: A name for the operation.

    Returns:
      A tensor of strings with one axis less; ragged if `input` has more than one ragged axis.

    Raises:
      ValueError: `input` is a scalar, or its rank is not known.
      InvalidArgumentError: There is no such encoding, or a code point is invalid and `errors` is `"strict"`.

    >>> unicode_encode([110, 233], "UTF-8").numpy()
    b'n\\xc3\\xa9'
    """
    attrs = {
        "output_encoding": one_of("UnicodeEncode", "output_encoding", as_text(output_encoding)),
        "errors": one_of("UnicodeEncode", "errors", as_text(errors)),
        "replacement_char": replacement_char,
    }
    if not isinstance(input, RaggedTensor):
        input = convert_to_tensor(input, dtypes.int32) if not isinstance(input, Tensor) else input
        if input.shape.rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if input.shape.rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
        if input.shape.rank == 1:
            row = RaggedTensor.from_row_splits(
                input,
                arrange.stack([constant(0, dtypes.int64), arrange.shape(input, out_type=dtypes.int64)[0]]),
                validate=False,
            )
            return arrange.reshape(call("UnicodeEncode", (row.values, row.row_splits), attrs, name), [])
        if input.shape.rank > 2:
            shape = arrange.shape(input)
            flat = arrange.reshape(input, arrange.stack([-1, shape[-1]]))
            return arrange.reshape(unicode_encode(flat, output_encoding, errors, replacement_char, name), shape[:-1])
        input = RaggedTensor.from_tensor(input)
    if isinstance(input.values, RaggedTensor):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char, name))
    if input.values.shape.rank not in (None, 1):
        return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char, name))
    return call("UnicodeEncode", (input.values, input.row_splits), attrs, name)


@export("strings.unicode_transcode")
@elementwise
@with_sections(_CODED)
def unicode_transcode(
    input, input_encoding, output_encoding, errors="replace", replacement_char=65533, replace_control_characters=False,
    name=None,
):
    """Converts strings to another encoding.

    Returns:
      A tensor of strings of the same shape.

    >>> unicode_transcode("né", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00n\\x00\\xe9'
    """
    attrs = {
        "input_encoding": as_text(input_encoding),
        "errors": one_of("UnicodeTranscode", "errors", as_text(errors)),
        "output_encoding": one_of("UnicodeTranscode", "output_encoding", as_text(output_encoding)),
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    return call("UnicodeTranscode", (string_tensor(input),), attrs, name)


@export("strings.unicode_script")
@elementwise
@takes(
    "input: A tensor of int32, possibly ragged",
    returns="An int32 tensor of the same shape, -1 where there is no such code point",
)
def unicode_script(input, name=None):
    """Looks up ICU's number of the script of each code point.

    >>> unicode_script([ord("a"), ord("я")]).numpy().tolist()
    [25, 8]
    """
    return call("UnicodeScript", (convert_to_tensor(input, dtypes.int32),), {}, name)
