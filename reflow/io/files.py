"""Whole files and what strings hold: `tf.io.read_file`, `write_file`, `matching_files`, `decode_raw`, `decode_csv`."""

from __future__ import annotations

from reflow.api.call import call, tensor_or
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.context import state
from reflow.ops.convert import convert_to_tensor


@export("io.read_file")
def read_file(filename, name=None):
    """The contents of a file, as a scalar string.

    >>> write_file("/tmp/reflow_read_file", "abc")
    >>> read_file("/tmp/reflow_read_file").numpy()
    b'abc'
    """
    return call("ReadFile", (tensor_or(filename, dtypes.string),), label=name)


@export("io.write_file")
def write_file(filename, contents, name=None):
    """Write a scalar string to a file; folders on the way are made.

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
    """The paths that fit one of the patterns, sorted.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a.txt", "")
    >>> len(tf.io.matching_files(folder + "/*.txt"))
    1
    """
    return call("MatchingFiles", (convert_to_tensor(pattern, dtypes.string),), label=name)


@export("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Strings as vectors of numbers.

    Args:
      input_bytes: strings of equal length, unless `fixed_length` is given.
      out_type: the dtype of the numbers.
      little_endian: whether the lowest byte of a number comes first.
      fixed_length: the number of bytes that each string is cut to, or filled up to with zeros.

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
    """Strings that were compressed, each as it was before.

    Args:
      bytes: a tensor of strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.

    >>> import zlib
    >>> tf.io.decode_compressed([zlib.compress(b"abc")], "ZLIB").numpy().tolist()
    [b'abc']
    """
    attrs = {"compression_type": compression_type}
    return call("DecodeCompressed", (convert_to_tensor(bytes, dtypes.string),), attrs, name)


@export("io.decode_json_example")
def decode_json_example(json_examples, name=None):
    """`tf.train.Example`s written as JSON, each serialized as a protobuf message.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [3]}}}}}'
    >>> tf.io.parse_single_example(tf.io.decode_json_example(text), {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy().item()
    3
    """
    return call("DecodeJSONExample", (convert_to_tensor(json_examples, dtypes.string),), label=name)


@export("io.decode_csv")
def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None):
    """Records of comma-separated values as a list of tensors, one for each column.

    Args:
      records: a tensor of strings, each one record (RFC 4180).
      record_defaults: for each column its dtype by example: a scalar or vector with the value for empty fields; an empty vector
        if the column must have a value.
      field_delim: the byte between fields.
      use_quote_delim: whether a field may stand in double quotes.
      na_value: a text that stands for an empty field.
      select_cols: the columns that are read, ascending; all unless it is given.

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
