"""Writing TFRecord files (`reflow/io/records.py` has the format)."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any, BinaryIO

from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
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
      flush_mode: Recorded only.
      input_buffer_size: Recorded only.
      output_buffer_size: Recorded only.
      window_bits: Recorded only.
      compression_level: From 0 (none) to 9 (smallest); -1 for the default.
      compression_method: Recorded only.
      mem_level: Recorded only.
      compression_strategy: Recorded only.

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
        kind, self._level = options.get_compression_type_string(options), options.compression_level
        self._path = path = os.fspath(path)
        with os_errors(path):
            self._file: BinaryIO | None = open(path, "wb")
        level = -1 if self._level is None else self._level
        self._zip = None
        self._out: Any  # compresses, or is the file
        if kind == "GZIP":
            self._out = gzip.GzipFile(fileobj=self._file, mode="wb", compresslevel=9 if level < 0 else level)
        else:
            self._out = self._file
            self._zip = zlib.compressobj(level) if kind == "ZLIB" else None

    def write(self, record):
        """Appends one record.

        Args:
          record: Bytes, or a string that is encoded as UTF-8.

        Raises:
          RuntimeError: The writer is closed.
        """
        if self._file is None:
            raise RuntimeError("Writer is closed.")
        data = records.frame(record.encode() if isinstance(record, str) else bytes(record))
        with os_errors(self._path):
            self._out.write(data if self._zip is None else self._zip.compress(data))

    def flush(self):
        """Hands what was written to the operating system."""
        with os_errors(self._path):
            if self._zip is not None:
                self._out.write(self._zip.flush(zlib.Z_SYNC_FLUSH))
            self._out.flush()
            if self._file is not None:
                self._file.flush()

    def close(self):
        """Completes the file and closes it."""
        if self._file is None:
            return
        file, self._file = self._file, None  # what fails now is not tried again
        with os_errors(self._path), file:
            if self._zip is not None:
                self._out.write(self._zip.flush())
            self._out.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


@export("compat.v1.io.tf_record_iterator", "compat.v1.python_io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """The records of a file, as bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.TFRecordWriter(folder + "/data") as writer:
    ...         writer.write(b"one")
    ...         writer.write(b"two")
    ...     list(tf.compat.v1.io.tf_record_iterator(folder + "/data"))
    [b'one', b'two']
    """
    return records.read(os.fspath(path), TFRecordOptions.get_compression_type_string(options))


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
