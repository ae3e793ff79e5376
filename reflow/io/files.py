"""Whole files and raw bytes: `tf.io.read_file`, `write_file`, `matching_files`, `decode_raw`."""

from __future__ import annotations

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.ops.convert import convert_to_tensor


@export("io.read_file")
def read_file(filename, name=None):
    """The contents of a file, as a scalar string.

    >>> write_file("/tmp/reflow_read_file", "abc")
    >>> read_file("/tmp/reflow_read_file").numpy()
    b'abc'
    """
    return call("ReadFile", (convert_to_tensor(filename, dtypes.string),), label=name)


@export("io.write_file")
def write_file(filename, contents, name=None):
    """Write a scalar string to a file; folders on the way are made."""
    call(
        "WriteFile",
        (convert_to_tensor(filename, dtypes.string), convert_to_tensor(contents, dtypes.string)),
        label=name,
    )


@export("io.matching_files")
def matching_files(pattern, name=None):
    """The paths that fit one of the patterns, sorted."""
    return call("MatchingFiles", (convert_to_tensor(pattern, dtypes.string),), label=name)


@export("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Strings as vectors of numbers.

    >>> decode_raw("abc", dtypes.uint8).numpy().tolist()
    [97, 98, 99]
    """
    if fixed_length is not None:
        raise NotImplementedError(
            "decode_raw with a fixed_length is not there yet: leave it out, or pad the strings. "
            f"Received: fixed_length={fixed_length}"
        )
    attrs = {"out_type": dtypes.as_dtype(out_type), "little_endian": little_endian}
    return call("DecodeRaw", (convert_to_tensor(input_bytes, dtypes.string),), attrs, name)
