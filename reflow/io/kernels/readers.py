"""Datasets over files: records, lines, fields, rows of a database.

A reader's position is the number of the file and the offset of the next element, so a restored iterator reads nothing
twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.data.engine.values import DatasetIterator, Generated, Unsized
from reflow.data.kernels.dataset import dataset_op
from reflow.graph.refusals import check_asset
from reflow.io import csv_records, records
from reflow.io.tf_record import TFRecordWriter
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, also_called, op


def _text(value) -> np.ndarray:
    """A scalar string as arrays hold it."""
    return np.array(value, object)


class FilesIterator(DatasetIterator):
    """`file` is the number of the file being read, `place` where its next element begins."""

    saved = ("file", "place")
    children = ()
    file = place = 0
    source: Iterator[tuple[list, int]] | None = None

    def __next__(self):
        paths = self.dataset.paths
        while self.file < len(paths):
            if self.source is None:
                place = self.place or self.dataset.starts[self.file]
                self.source = self.dataset.read(paths[self.file], place)
            found = next(self.source, None)
            if found is not None:
                element, self.place = found
                return element
            self.file, self.place, self.source = self.file + 1, 0, None
        raise StopIteration

    def restore(self, state):
        super().restore(state)
        self.source = None


class Files(Unsized):
    """Elements of files, one file after the other.

    `read(path, place)` gives pairs of an element and the place after it.
    """

    iterator = FilesIterator
    by_file = True  # whether workers divide it between them by its files

    def __init__(
        self, filenames, read: Callable[[str, int], Iterator[tuple[list, int]]], starts: list[int] | None = None
    ):
        self.paths = [name.decode() for name in filenames.reshape(-1)]
        self.read, self.starts = read, starts or [0] * len(self.paths)


# --- records and lines ------------------------------------------------------------------------------------------------


def _records(filenames, compression, attrs, offsets=None):
    kind = compression[()].decode()
    starts = None if offsets is None or not offsets.size else offsets.reshape(-1).tolist()

    def read(path, place):
        for record in records.read(path, kind, place):
            place += len(record) + records.FRAME
            yield [_text(record)], place

    return _files_or_assets(filenames, attrs, read, starts)


def _files_or_assets(filenames, attrs, read, starts=None) -> Files:
    """Elements of files; if a SavedModel's function reads them, of its assets."""
    files = Files(filenames, read, starts)
    for path in files.paths:
        check_asset(attrs, path)
    return files


@dataset_op("TFRecordDataset", effect=True, touches=("assets",))
def tf_record_dataset(_, filenames, compression_type, buffer_size, **attrs):
    return _records(filenames, compression_type, attrs)


@dataset_op("TFRecordDatasetV2", effect=True, touches=("assets",))
def tf_record_dataset_v2(_, filenames, compression_type, buffer_size, byte_offsets, **attrs):
    return _records(filenames, compression_type, attrs, byte_offsets)


@dataset_op("TextLineDataset", effect=True, touches=("assets",))
def text_line_dataset(_, filenames, compression_type, buffer_size, **attrs):
    kind = compression_type[()].decode()

    def read(path, place):
        with records.open_file(path, kind, place) as file:
            for line in file:
                place += len(line)
                yield [_text(line.removesuffix(b"\n").removesuffix(b"\r"))], place

    return _files_or_assets(filenames, attrs, read)


@dataset_op("FixedLengthRecordDatasetV2", effect=True, touches=("assets",))
def fixed_length_record_dataset(
    _, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, compression_type, **attrs
):
    kind = compression_type[()].decode()
    header, size, footer = int(header_bytes), int(record_bytes), int(footer_bytes)
    for name, value, least in (("record_bytes", size, 1), ("header_bytes", header, 0), ("footer_bytes", footer, 0)):
        if value < least:
            raise errors.InvalidArgumentError(None, None, f"{name} must be {'> 0' if least else '>= 0'}")

    def read(path, place):
        with records.open_file(path, kind, place or header) as file:
            place = place or header
            data = b""
            while True:
                while len(data) < size + footer and (part := file.read(max(size + footer, 1 << 16))):
                    data += part
                if len(data) < size + footer:
                    break
                at = 0
                while len(data) - at >= size + footer:
                    place += size
                    yield [_text(data[at : at + size])], place
                    at += size
                data = data[at:]
            if len(data) != footer:
                body = place - header + len(data) - footer
                raise errors.InvalidArgumentError(
                    None, None,
                    f'Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{path}" has body '
                    'length '
                    f"{body} bytes, which is not an exact multiple of the record length ({size} bytes).",
                )

    return _files_or_assets(filenames, attrs, read)


@dataset_op("FixedLengthRecordDataset", effect=True, touches=("assets",))
def fixed_length_record_dataset_v1(_, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, **attrs):
    sizes = header_bytes, record_bytes, footer_bytes, buffer_size
    return fixed_length_record_dataset.kernel(_, filenames, *sizes, _text(b""), **attrs)


# --- fields and rows --------------------------------------------------------------------------------------------------


@dataset_op("CSVDatasetV2", effect=True, touches=("files",))
def csv_dataset(
    _, filenames, compression_type, buffer_size, header, field_delim, use_quote_delim, na_value, select_cols,
    record_defaults, exclude_cols, output_types,
):
    kind, delimiter = compression_type[()].decode(), field_delim[()]
    if len(delimiter) != 1:
        raise errors.InvalidArgumentError(None, None, "field_delim should be only 1 char")
    selected, excluded = select_cols.reshape(-1).tolist(), exclude_cols.reshape(-1).tolist()
    if selected and excluded:
        raise errors.InvalidArgumentError(None, None, "Either select_cols or exclude_cols should be empty")
    if selected and len(selected) != len(record_defaults):
        raise errors.InvalidArgumentError(None, None, "select_cols should match output size")
    if selected != sorted(set(selected)) or any(i < 0 for i in selected):
        raise errors.InvalidArgumentError(None, None, "select_cols should be strictly increasing indices")
    columns = csv_records.Columns(list(record_defaults), output_types, selected, excluded, na_value[()])

    def read(path, place):
        with records.open_file(path, kind, place) as file:
            ends = _Counted(file, place)
            source = csv_records.rows(ends, delimiter, bool(use_quote_delim))
            if header and not place:
                next(source, None)
            for fields in source:
                yield columns.values(fields), ends.place

    made = Files(filenames, read)
    made.symbolic = made.by_file = False
    return made


@dataset_op("CSVDataset", effect=True, touches=("files",))
def csv_dataset_v1(_, *operands, output_types):
    return csv_dataset.kernel(_, *operands, np.zeros(0, np.int64), output_types)


class _Counted:
    """The lines of a file; `place` is where the next one begins."""

    def __init__(self, file, place: int):
        self.file, self.place = file, place

    def __iter__(self):
        return self

    def __next__(self) -> bytes:
        line = next(self.file)
        self.place += len(line)
        return line


#: the dtypes of a database's columns
_COLUMNS = {
    dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.bool_,
    dtypes.float64,
}  # fmt: skip


@dataset_op("SqlDataset", effect=True, touches=("files",))
def sql_dataset(_, driver_name, data_source_name, query, output_types):
    driver = driver_name[()].decode()
    if driver != "sqlite":
        raise errors.InvalidArgumentError(
            None, None,
            f"The database type, {driver}, is not supported by SqlDataset. The set of supported "
            f"databases is: {{'sqlite'}}.",
        )
    if not _COLUMNS.issuperset(output_types):
        names = ["STRING", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "BOOL", "DOUBLE"]
        raise errors.InvalidArgumentError(
            None, None, f"Each element of `output_types_` must be one of: {', '.join(f'DT_{name}' for name in names)} "
        )
    path, text = data_source_name[()].decode(), query[()].decode()

    def start():
        with os_errors(path):
            base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            rows = base.execute(text)
            width = 0 if rows.description is None else len(rows.description)
            if width != len(output_types):
                raise errors.InvalidArgumentError(
                    None, None,
                    f"The number of columns in query ({width}) must match the number of elements in output_types "
                    f"({len(output_types)}).",
                )
            for row in rows:
                yield [_sql_value(value, kind) for value, kind in zip(row, output_types, strict=True)]
        except sqlite3.Error as error:
            raise errors.UnknownError(None, None, f"Failed to run the query: {error}") from error
        finally:
            base.close()

    return Generated(start)


def _sql_value(value, kind: dtypes.DType) -> np.ndarray:
    """A column's value as SQLite converts it: NULL is zero or empty, a text is a number as far as it is one."""
    if kind is dtypes.string:
        if value is None:
            value = b""
        return _text(value if isinstance(value, bytes) else str(value).encode())
    if value is None:
        value = 0
    if isinstance(value, (str, bytes)):
        try:
            value = float(value)
        except ValueError:
            value = 0
    if kind is dtypes.bool_:
        return np.array(bool(int(value)))
    return np.array(value).astype(kind.np_dtype)


@op("DatasetToTFRecord", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, effect=True, touches=("files",))
def dataset_to_tf_record(_, input_dataset, filename, compression_type):
    with TFRecordWriter(filename[()].decode(), compression_type[()].decode()) as writer:
        for (record,) in input_dataset.iterate():
            writer.write(record[()])
    return ()


for _record in (csv_dataset_v1, sql_dataset, dataset_to_tf_record):
    also_called(f"Experimental{_record.name}", _record)
