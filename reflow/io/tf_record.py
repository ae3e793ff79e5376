"""Writing TFRecord files (`reflow/io/records.py` has the format)."""

from __future__ import annotations

import os
import zlib
from typing import Any, BinaryIO

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core.os_errors import os_errors
from reflow.io import records
from reflow.ops.convert import convert_to_tensor


@export("compat.v1.io.TFRecordCompressionType", "compat.v1.python_io.TFRecordCompressionType")
class TFRecordCompressionType:
    """Version 1's numbers of compressions.

    >>> types = tf.compat.v1.io.TFRecordCompressionType
    >>> tf.io.TFRecordOptions.get_compression_type_string(tf.io.TFRecordOptions(types.GZIP))
    'GZIP'
    """

    NONE, ZLIB, GZIP = 0, 1, 2


@export("io.TFRecordOptions")
class TFRecordOptions:
    """Says how a file of records is compressed.

    Args:
      compression_type: None or "" (not at all), "ZLIB" or "GZIP".
      flush_mode: Recorded only; it tunes how often TensorFlow's runtime writes.
      input_buffer_size: Recorded only, likewise.
      output_buffer_size: Recorded only, likewise.
      window_bits: The logarithm of how far back repetitions are found, from 9 to 15; negative for data without a
        header, 16 more for a gzip file.
      compression_level: From 0 (none) to 9 (smallest); -1 for the default.
      compression_method: zlib's number of the method, which is 8.
      mem_level: How much memory compressing takes, from 1 to 9.
      compression_strategy: zlib's number of a strategy.

    Raises:
      ValueError: There is no such compression.

    >>> tf.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}  # by the numbers of `TFRecordCompressionType`

    def __init__(
        self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
        compression_level=None, compression_method=None, mem_level=None, compression_strategy=None,
    ):
        self.get_compression_type_string(compression_type)  # rejects unknown types
        self.compression_type = compression_type
        self.compression_level = compression_level
        self.window_bits, self.mem_level = window_bits, mem_level
        self.compression_method, self.compression_strategy = compression_method, compression_strategy
        self.flush_mode = flush_mode
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size

    @classmethod
    def get_compression_type_string(cls, options) -> str:
        """ "", "ZLIB" or "GZIP", from an options object or such a string.

        >>> TFRecordOptions.get_compression_type_string(TFRecordOptions("GZIP"))
        'GZIP'
        """
        kind = options.compression_type if isinstance(options, TFRecordOptions) else options
        if isinstance(kind, int):
            kind = {
                number: name for name, number in vars(TFRecordCompressionType).items() if name.isupper()
            }.get(kind, kind)
            kind = None if kind == "NONE" else kind
        if (kind or "") not in records.COMPRESSIONS:
            raise ValueError(f'Not a valid compression_type: "{kind}"')
        return kind or ""


@export("io.TFRecordWriter")
class TFRecordWriter:
    """Writes a file of records, one at a time.

    Args:
      path: The file, which is emptied first.
      options: A `tf.io.TFRecordOptions`, or only the kind of compression: "ZLIB" or "GZIP".

    >>> with TFRecordWriter("/tmp/reflow_two.tfrecords") as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(records.read("/tmp/reflow_two.tfrecords"))
    [b'one', b'two']
    """

    def __init__(self, path, options=None):
        if isinstance(options, str) or options is None:
            options = TFRecordOptions(options)
        kind = options.get_compression_type_string(options)
        self._path = path = os.fspath(path)
        with os_errors(path):
            self._file: BinaryIO | None = open(path, "wb")
        self._zip = _compressor(options, kind) if kind else None

    def write(self, record):
        """Appends one record.

        Args:
          record: Bytes, or a string that is encoded as UTF-8.

        Raises:
          FailedPreconditionError: The writer is closed.
          TypeError: It is neither.
        """
        if not isinstance(record, (str, bytes, bytearray)):
            raise TypeError(f"write(): incompatible function arguments: a record is bytes or a string, not {record!r}")
        data = records.frame(record.encode() if isinstance(record, str) else bytes(record))
        file = self._opened()
        with os_errors(self._path):
            file.write(data if self._zip is None else self._zip.compress(data))

    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def flush(self):
        """Hands what was written to the operating system.

        Raises:
          FailedPreconditionError: The writer is closed.
        """
        file = self._opened()
        with os_errors(self._path):
            if self._zip is not None:
                file.write(self._zip.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self):
        """Completes the file and closes it."""
        if self._file is None:
            return
        file, self._file = self._file, None  # what fails now is not tried again
        with os_errors(self._path), file:
            if self._zip is not None:
                file.write(self._zip.flush())

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _compressor(options: TFRecordOptions, kind: str) -> Any:
    """What compresses a file as its options say."""
    bits = options.window_bits
    if bits is None:
        bits = 31 if kind == "GZIP" else 15
    given = {
        "level": options.compression_level, "method": options.compression_method, "memLevel": options.mem_level,
        "strategy": options.compression_strategy,
    }
    bits = {8: 9, -8: -9}.get(bits, bits)  # as zlib does itself
    return zlib.compressobj(wbits=bits, **{name: value for name, value in given.items() if value is not None})


class RecordIterator:
    """The records of a file. At its end, or where one is incomplete, it waits: it goes on when the file has grown."""

    def __init__(self, path: str, compression: str) -> None:
        self._path, self._compression, self._offset = path, compression, 0
        self._file: Any = records.open_file(path, compression)

    def __iter__(self) -> RecordIterator:
        return self

    def __next__(self) -> bytes:
        if self._file is None:
            self._file = records.open_file(self._path, self._compression, self._offset)
        record = None
        try:
            with os_errors(self._path):
                record = records.next_record(self._file, self._path, self._offset)
        finally:
            if record is None:
                self.close()
        if record is None:
            raise StopIteration
        self._offset += len(record) + records.FRAME
        return record

    def close(self) -> None:
        """Close the file, until the next record is asked for."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


@export("compat.v1.io.tf_record_iterator", "compat.v1.python_io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """The records of a file, as bytes. After the end it goes on when records have been added to the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.TFRecordWriter(folder + "/data") as writer:
    ...         writer.write(b"one")
    ...         writer.write(b"two")
    ...     list(tf.compat.v1.io.tf_record_iterator(folder + "/data"))
    [b'one', b'two']
    """
    return RecordIterator(os.fspath(path), TFRecordOptions.get_compression_type_string(options))


@export("data.experimental.TFRecordWriter")
class DatasetWriter:
    """Writes a dataset of string scalars to a file of records.

    Args:
      filename: The file.
      compression_type: "", "ZLIB" or "GZIP".

    >>> writer = tf.data.experimental.TFRecordWriter("/tmp/reflow_three.tfrecords")
    >>> _ = writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> [x.numpy() for x in tf.data.TFRecordDataset("/tmp/reflow_three.tfrecords")]
    [b'a', b'b']
    """

    def __init__(self, filename, compression_type=None):
        self._filename = convert_to_tensor(filename, dtypes.string)
        self._compression = convert_to_tensor(compression_type or "", dtypes.string)

    def write(self, dataset):
        """Writes all elements of a dataset.

        Args:
          dataset: A dataset of string scalars.

        Returns:
          Nothing of use; in a graph, the operation that writes.

        Raises:
          TypeError: It is no dataset of string scalars.
        """
        if not hasattr(dataset, "element_spec"):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        spec = dataset.element_spec
        if getattr(spec, "dtype", None) is not dtypes.string or spec.shape.rank not in (0, None):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a dataset "
                f"which produces elements with spec {spec}."
            )
        return call("DatasetToTFRecord", (dataset._variant_tensor, self._filename, self._compression))
