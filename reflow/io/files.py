"""Whole files and what strings hold: `tf.io.read_file`, `write_file`, `matching_files`, `decode_raw`, `decode_csv`."""

from __future__ import annotations

from reflow.api.call import call, tensor_or
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops.convert import convert_to_tensor


@export("io.read_file")
def read_file(filename, name=None):
    """Reads a whole file.

    Args:
      filename: The path, a string scalar.
      name: A name for the operation.

    Returns:
      The contents, a string scalar.

    Raises:
      NotFoundError: There is no such file.

    >>> write_file("/tmp/reflow_read_file", "abc")
    >>> read_file("/tmp/reflow_read_file").numpy()
    b'abc'
    """
    return call("ReadFile", (tensor_or(filename, dtypes.string),), label=name)


@export("io.write_file")
def write_file(filename, contents, name=None):
    """Writes a whole file; folders on the way are made.

    Args:
      filename: The path, a string scalar.
      contents: What to write, a string scalar.
      name: A name for the operation.

    Returns:
      None; in a graph, the operation that writes.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/new/a.txt"
    >>> tf.io.write_file(path, "text")
    >>> tf.io.read_file(path).numpy()
    b'text'
    """
    call(
        "WriteFile",
        (convert_to_tensor(filename, dtypes.string), convert_to_tensor(contents, dtypes.string)),
        label=name,
    )
    return None if state.graph is None else state.graph.nodes[-1]


@export("io.matching_files")
def matching_files(pattern, name=None):
    """Returns the paths that match a pattern.

    Args:
      pattern: A pattern with `*`, `?` or `[...]`, or a vector of them.
      name: A name for the operation.

    Returns:
      A vector of strings, sorted.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a.txt", "")
    >>> len(tf.io.matching_files(folder + "/*.txt"))
    1
    """
    return call("MatchingFiles", (convert_to_tensor(pattern, dtypes.string),), label=name)


@export("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Reads the bytes of strings as numbers.

    Args:
      input_bytes: Strings of equal length, unless `fixed_length` is given.
      out_type: The dtype of the numbers.
      little_endian: Whether the lowest byte of a number comes first.
      fixed_length: The number of bytes that each string is cut to, or filled up to with zeros.
      name: A name for the operation.

    Returns:
      A tensor of `out_type` with one more axis than `input_bytes`, of the numbers in a string.

    Raises:
      InvalidArgumentError: The strings differ in length, or it is no multiple of the size of a number.

    >>> decode_raw("abc", dtypes.uint8).numpy().tolist()
    [97, 98, 99]
    """
    attrs = {"out_type": dtypes.as_dtype(out_type), "little_endian": little_endian}
    strings = tensor_or(input_bytes, dtypes.string)
    if fixed_length is None:
        return call("DecodeRaw", (strings,), attrs, name)
    return call("DecodePaddedRaw", (strings, convert_to_tensor(fixed_length, dtypes.int32)), attrs, name)


@export("io.decode_compressed")
def decode_compressed(bytes, compression_type="", name=None):
    """Decompresses each string of a tensor.

    Args:
      bytes: A tensor of strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
      name: A name for the operation.

    Returns:
      A string tensor of the same shape.

    >>> import zlib
    >>> tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB").numpy().tolist()
    [b'abc']
    """
    attrs = {"compression_type": compression_type}
    return call("DecodeCompressed", (convert_to_tensor(bytes, dtypes.string),), attrs, name)


@export("io.decode_json_example")
def decode_json_example(json_examples, name=None):
    """Converts `tf.train.Example`s from JSON to serialized protobuf messages.

    Args:
      json_examples: A tensor of strings, each one example in JSON.
      name: A name for the operation.

    Returns:
      A string tensor of the same shape.

    Raises:
      InvalidArgumentError: A string is no such JSON.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [3]}}}}}'
    >>> tf.io.parse_single_example(
    ...     tf.io.decode_json_example(text), {"a": tf.io.FixedLenFeature([], tf.int64)}
    ... )["a"].numpy().item()
    3
    """
    return call("DecodeJSONExample", (convert_to_tensor(json_examples, dtypes.string),), label=name)


@export("io.decode_csv")
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None
):
    """Splits records of comma-separated values into a tensor for each column.

    Args:
      records: A tensor of strings, each one record (RFC 4180).
      record_defaults: For each column its dtype by example: a scalar or vector with the value for empty fields; an
        empty vector if the column must have a value.
      field_delim: The byte between fields.
      use_quote_delim: Whether a field may stand in double quotes.
      na_value: A text that stands for an empty field.
      select_cols: The columns that are read, ascending; all unless it is given.
      name: A name for the operation.

    Returns:
      A list of tensors, one for each column, of the shape of `records`.

    Raises:
      ValueError: `select_cols` is not ascending, or has another length than `record_defaults`.
      InvalidArgumentError: A record has another number of fields, or a field cannot be converted.

    >>> numbers, names = tf.io.decode_csv(["1,a", "2,"], [[0], ["none"]])
    >>> numbers.numpy().tolist(), names.numpy().tolist()
    ([1, 2], [b'a', b'none'])
    """
    if select_cols is not None and any(a >= b for a, b in zip(select_cols, select_cols[1:])):
        raise ValueError("select_cols is not strictly increasing.")
    if select_cols is not None and select_cols[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    attrs = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": list(select_cols or ()),
    }
    defaults = [convert_to_tensor(default) for default in record_defaults]
    return list(call("DecodeCSV", (convert_to_tensor(records, dtypes.string), *defaults), attrs, name))
