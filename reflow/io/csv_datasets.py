"""`tf.data.experimental.CsvDataset` and `make_csv_dataset`."""

from __future__ import annotations

import collections
import csv
import gzip
from typing import Any

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.data.base import AUTOTUNE, int64
from reflow.data.dataset import DatasetV2
from reflow.io.datasets import READ_BUFFER
from reflow.io.features import in_parallel, shuffled_and_repeated
from reflow.ops.convert import constant, convert_to_tensor

_KINDS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def _default(x) -> Any:
    """A column's default as a tensor: an empty one for a column that only has a dtype.

    As in TensorFlow a number may be the dtype's.
    """
    if not isinstance(x, Tensor) and not isinstance(x, (list, tuple, np.ndarray)) and x in _KINDS:
        kind = dtypes.as_dtype(x)
        return constant(np.zeros(0, object if kind is dtypes.string else kind.np_dtype), kind)
    return convert_to_tensor(x)


@export("data.experimental.CsvDataset")
class CsvDataset(DatasetV2):
    """Reads the records of CSV files as tuples of scalars.

    Args:
      filenames: The names of files, as a string, a list or a tensor.
      record_defaults: For each column a dtype, if it must have values, or a default.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: Accepted, and not used: files are read through the buffer of the operating system.
      header: Whether the first line of each file is left out.
      field_delim: The byte between fields.
      use_quote_delim: Whether a field may stand in double quotes.
      na_value: A text that stands for an empty field.
      select_cols: The indices of columns to read; the fields of others are not converted.
      exclude_cols: The indices of columns to leave out, instead of `select_cols`.

    >>> path = "/tmp/reflow_records.csv"
    >>> tf.io.write_file(path, "name,age\\nann,5\\nbob,\\n")
    >>> ds = tf.data.experimental.CsvDataset(path, [tf.string, [0]], header=True)
    >>> [(name.numpy(), int(age)) for name, age in ds]
    [(b'ann', 5), (b'bob', 0)]
    """

    def __init__(
        self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False, field_delim=",",
        use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None,
    ):
        defaults = [_default(x) for x in record_defaults]
        spec = tuple(TensorSpec([], d.dtype) for d in defaults)
        text = lambda value: convert_to_tensor(value, dtypes.string)
        vector = lambda value: convert_to_tensor([] if value is None else value, dtypes.int64)
        inputs = (
            text(filenames),
            text(compression_type or ""),
            int64(READ_BUFFER if buffer_size is None else buffer_size),
            convert_to_tensor(header, dtypes.bool_),
            text(field_delim),
            convert_to_tensor(use_quote_delim, dtypes.bool_),
            text(na_value),
            vector(select_cols),
            *defaults,
            vector(exclude_cols),
        )
        attrs = {"output_types": [d.dtype for d in defaults], "output_shapes": [()] * len(defaults)}
        super().__init__(call("CSVDatasetV2", inputs, attrs), element_spec=spec, label="CsvDatasetV2")


@export("data.experimental.make_csv_dataset")
def make_csv_dataset(
    file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None, select_columns=None,
    field_delim=",", use_quote_delim=True, na_value="", header=True, num_epochs=None, shuffle=True,
    shuffle_buffer_size=10000, shuffle_seed=None, prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False,
    num_rows_for_inference=100, compression_type=None, ignore_errors=False, encoding="utf-8",
):
    """Reads batches of CSV records, as dictionaries from column names to vectors.

    Args:
      file_pattern: A pattern of file names, or a list of them.
      batch_size: The number of records in a batch.
      column_names: The names of all columns; by default they are read from the header.
      column_defaults: A dtype or a default for each column that is read; by default dtypes are guessed.
      label_name: The column that is given separately: elements are then pairs of a dictionary and the labels.
      select_columns: Names or indices of the columns to read; by default all.
      field_delim, use_quote_delim, na_value, compression_type: As in `tf.data.experimental.CsvDataset`.
      header: Whether files begin with a line of column names.
      num_epochs: How often the records are read; by default without end, and then all batches are full.
      shuffle, shuffle_buffer_size, shuffle_seed: Whether and how files and records are shuffled.
      prefetch_buffer_size: How many batches are made ahead; chosen automatically by default.
      num_parallel_reads, sloppy: How many files are read at a time (one), and whether in the order in which they are
        ready.
      num_rows_for_inference, encoding: From how many records dtypes are guessed (None: all), and their encoding.
      ignore_errors: Whether records that cannot be read are left out.

    Returns:
      A dataset.

    >>> path = "/tmp/reflow_columns.csv"
    >>> tf.io.write_file(path, "a,b\\n1,x\\n2,y\\n")
    >>> ds = tf.data.experimental.make_csv_dataset(path, 2, num_epochs=1, shuffle=False)
    >>> {k: v.numpy().tolist() for k, v in next(iter(ds)).items()}
    {'a': [1, 2], 'b': [b'x', b'y']}
    """
    files = file_names(file_pattern, shuffle)
    table = _Table(files, field_delim, use_quote_delim, na_value, header, compression_type, encoding)
    names, defaults, selected = table.columns(column_names, column_defaults, select_columns, num_rows_for_inference)
    if label_name is not None and label_name not in names:
        raise ValueError(f"`label_name` provided must be one of the columns: {names}. Received: {label_name}.")

    def read(filename):
        dataset: Any = CsvDataset(
            filename, defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, selected
        )
        return dataset.ignore_errors() if ignore_errors else dataset

    def name(*columns):
        features = collections.OrderedDict(zip(names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = DatasetV2.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    dataset = in_parallel(dataset, read, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(name)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def file_names(pattern, shuffle: bool) -> list[str]:
    """The files that fit a pattern or one of a list of patterns."""
    from reflow.io.file_system import glob

    if isinstance(pattern, list) and not pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    found = [name for p in (pattern if isinstance(pattern, list) else [pattern]) for name in glob(p)]
    if not found:
        raise ValueError(f"No files match `file_pattern` {pattern}.")
    return found if shuffle else sorted(found)


def _indices(wanted, names) -> list[int]:
    """Sorted indices of columns given by index or name."""
    places = {n: i for i, n in enumerate(names)}
    found = []
    for column in wanted:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, which is "
                    "the number of columns."
                )
            found.append(column)
        elif column not in places:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: {places.keys()}."
            )
        else:
            found.append(places[column])
    if len(set(found)) != len(found):
        raise ValueError(
            f"The `select_columns` argument contains duplicate columns: { {f for f in found if found.count(f) > 1} }."
        )
    return sorted(found)


class _Table:
    """The facts about columns that reading the beginning of files reveals."""

    def __init__(self, files, delimiter, use_quotes, na_value, header, compression, encoding):
        self.files, self.na_value, self.header, self.encoding = files, na_value, header, encoding
        self.reader = {"delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if use_quotes else csv.QUOTE_NONE}
        if compression == "ZLIB":
            raise ValueError(f"`compression_type` {compression} is not supported for probing columns.")
        if compression not in (None, "", "GZIP"):
            raise ValueError(
                f"Received unknown `compression_type` {compression}. Expected: GZIP, ZLIB or  (empty string)."
            )
        self.open = gzip.open if compression == "GZIP" else open

    def _rows(self, path):
        with self.open(path, "rt", encoding=self.encoding, newline="") as file:
            yield from csv.reader(file, **self.reader)

    def columns(self, names, defaults, select, limit) -> tuple[list[str], list, list[int] | None]:
        """Names and defaults of the columns that are read, and their indices if they are not all."""
        if names is None:
            if not self.header:
                raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
            names = self.names()
        repeated = {n for n in names if list(names).count(n) > 1}
        if repeated:
            raise ValueError(
                f"Either `column_names` argument or CSV header row contains duplicate column names: {repeated}."
            )
        selected = None if select is None else _indices(select, names)
        if defaults is not None:
            defaults = [_default(x) for x in defaults]
        else:
            defaults = self.defaults(len(names), selected, limit)
        if selected is None:
            return names, defaults, None
        if len(defaults) != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` has "
                f"length {len(defaults)}, `select_columns` has length {len(selected)}."
            )
        return [names[i] for i in selected] if len(names) > len(selected) else names, defaults, selected

    def names(self) -> list[str]:
        """The header of the first file, which all must have."""
        found: list | None = None
        for path in self.files:
            row = next(self._rows(path), None)
            if row is None:
                raise ValueError(f"Failed when reading the header line of {path}. Is it an empty file?")
            if found is not None and row != found:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. File "
                    f"{path} has different column names."
                )
            found = row
        assert found is not None
        return found

    def defaults(self, count: int, selected, limit: int | None) -> list:
        """A default for each column, of the narrowest dtype that its first records have."""
        columns = range(count) if selected is None else selected
        kinds: list = [None] * len(columns)
        seen = 0
        for path in self.files:
            for number, row in enumerate(self._rows(path), 1):
                if self.header and number == 1:
                    continue
                if limit is not None and seen >= limit:
                    break
                seen += 1
                if len(row) != count:
                    raise ValueError(
                        f"Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: {count}."
                    )
                for i, column in enumerate(columns):
                    if row[column] not in ("", self.na_value):
                        kinds[i] = max(kinds[i] or 0, _narrowest(row[column]))
        chosen = [dtypes.string if k is None else _ORDER[k] for k in kinds]
        return [constant(["" if kind is dtypes.string else 0], kind) for kind in chosen]


#: dtypes of columns, from the narrowest on
_ORDER = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def _narrowest(text: str) -> int:
    """The first dtype of `_ORDER` that can hold a field."""
    try:
        number = int(text)
        for i in (0, 1):
            if _ORDER[i].min <= number <= _ORDER[i].max:
                return i
    except ValueError:
        pass
    try:
        value = float(text)
        return 2 if abs(value) < dtypes.float32.max else 3 if value < float("inf") else 4
    except ValueError:
        return 4
