"""Strings that hold data in some format: CSV records, compressed bytes, JSON, raw numbers of a fixed length."""

from __future__ import annotations

import gzip
import zlib

import numpy as np

from reflow.core import dtypes, errors
from reflow.io import csv_records, examples
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op


def _invalid(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


def _strings_like(items: list, like: np.ndarray) -> np.ndarray:
    return np.fromiter(items, object, len(items)).reshape(like.shape)


# --- CSV ------------------------------------------------------------------------------------------------------------


def _csv_shapes(f):
    return [f.shapes[0]] * (len(f.shapes) - 1)


def _csv_words(f):
    """What TensorFlow's shape function rejects."""
    for shape in f.shapes[1:]:
        if shape is not None and len(shape) > 1:
            raise ValueError("Shape must be at most rank 1")
        if shape and shape[0] is not None and shape[0] > 1:
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return _csv_shapes(f)


@op("DecodeCSV", shape=_csv_words, grad=NO_GRADIENT, host=True)
def decode_csv(_, records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=()):
    if len(field_delim.encode()) != 1:
        raise _invalid("field_delim should be only 1 char")
    if select_cols and len(select_cols) != len(record_defaults):
        raise _invalid("select_cols should match output size")
    if any(a >= b for a, b in zip(select_cols, select_cols[1:])):
        raise _invalid("select_cols should be strictly increasing indices")
    for i, default in enumerate(record_defaults):
        if default.ndim > 1:
            raise _invalid("Each record default should be at most rank 1")
        if default.size > 1:
            raise _invalid(f"There should only be 1 default per field but field {i} has {default.size}")
    kinds = [dtypes.FROM_NUMPY[default.dtype] for default in record_defaults]
    columns = csv_records.Columns(record_defaults, kinds, list(select_cols), [], na_value.encode())
    rows = []
    for i, text in enumerate(records.reshape(-1)):
        found = csv_records.one_record(text, field_delim.encode(), use_quote_delim)
        rows.append(columns.values(found, f"record {i}"))
    out = [np.full(len(rows), b"" if kind is dtypes.string else 0, kind.np_dtype) for kind in kinds]
    for i, row in enumerate(rows):
        for column, value in zip(out, row):
            column[i] = value[()]
    return tuple(column.reshape(records.shape) for column in out)


# --- compression ----------------------------------------------------------------------------------------------------


@op("DecodeCompressed", shape=rules.same, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_compressed(_, bytes, compression_type=""):
    readers = {"": lambda text: text, "ZLIB": zlib.decompress, "GZIP": gzip.decompress}
    if compression_type not in readers:
        raise _invalid("Only ZLIB, GZIP or NONE are supported compressions")
    try:
        return _strings_like([readers[compression_type](text) for text in bytes.reshape(-1)], bytes)
    except (zlib.error, OSError, EOFError) as error:
        raise errors.DataLossError(None, None, f"inflate() failed: {error}") from error


# --- JSON -----------------------------------------------------------------------------------------------------------


@op("DecodeJSONExample", shape=rules.same, grad=NO_GRADIENT, host=True)
def decode_json_example(_, json_examples):
    from google.protobuf import json_format

    out = []
    for text in json_examples.reshape(-1):
        try:
            example = json_format.Parse(text, examples.Example())
        except json_format.ParseError as error:
            raise _invalid(f"Error while parsing JSON: {error}") from error
        out.append(example.SerializeToString(deterministic=True))
    return _strings_like(out, json_examples)


# --- numbers --------------------------------------------------------------------------------------------------------


def _padded_shape(f):
    if f.shapes[0] is None:
        return [None]
    length = f.values[1]
    known = None if length is None else int(length) // f.attrs["out_type"].size
    return [(*f.shapes[0], known)]


@op("DecodePaddedRaw", shape=_padded_shape, grad=NO_GRADIENT, host=True, overlaps=True)
def decode_padded_raw(_, input_bytes, fixed_length, out_type, little_endian=True):
    length, size = int(fixed_length), out_type.np_dtype.itemsize
    if length <= 0:
        raise _invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % size:
        raise _invalid(f"fixed_length ({length}) must be a multiple of the size of out_type ({size})")
    data = np.zeros((input_bytes.size, length), np.uint8)  # pages without text are never touched
    for row, text in zip(data, input_bytes.reshape(-1), strict=True):
        start = np.frombuffer(text[:length], np.uint8)
        row[: len(start)] = start
    out = data.view(out_type.np_dtype)
    return (out if little_endian or size == 1 else out.byteswap()).reshape(*input_bytes.shape, length // size)
