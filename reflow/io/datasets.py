"""`tf.data.TFRecordDataset` and `tf.data.TextLineDataset`: datasets whose elements are strings in files."""

from __future__ import annotations

import os

from reflow.api.array.arrange import reshape
from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data.base import int64
from reflow.data.dataset import DatasetV2
from reflow.ops.convert import constant, convert_to_tensor

_STRING = TensorSpec((), dtypes.string)
READ_BUFFER = 256 * 1024


def _names(filenames):
    """File names as a dataset of scalar strings."""
    if isinstance(filenames, DatasetV2):
        spec = filenames.element_spec
        if spec.dtype is not dtypes.string:
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                f"`{spec.dtype!r}` elements."
            )
        if not spec.shape.is_compatible_with([]):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). "
                f"Got a dataset of element shape {spec.shape!r}."
            )
        return filenames
    names = convert_to_tensor(_texts(filenames))
    if names.dtype is not dtypes.string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` elements.")
    return DatasetV2.from_tensor_slices(reshape(names, [-1]))


def _texts(filenames):
    """Names of files as given, with texts in place of path objects; of an empty list, an empty list of texts."""
    if isinstance(filenames, os.PathLike):
        return os.fspath(filenames)
    if isinstance(filenames, (list, tuple)):
        return [_texts(name) for name in filenames] or constant([], dtypes.string)
    return filenames


def _joined(files, one, reads):
    """The datasets of files, one after the other or `reads` at a time."""
    if reads is None:
        return files.flat_map(one)
    return files.interleave(one, cycle_length=reads, num_parallel_calls=reads)


class Reader(DatasetV2):
    """A dataset over files. It reads other datasets only if the names of its files are one."""

    _files: DatasetV2 | None = None

    def _inputs(self) -> list:
        return [] if self._files is None else [self._files]

    @property
    def names_of_files(self) -> DatasetV2 | None:
        """The dataset of the names that were given; None if they were a dataset."""
        (joined,) = self._parents
        return joined._parents[0] if self._files is None else None


class _Files(Reader):
    """A dataset over the files of another dataset, one after the other or `num_parallel_reads` at a time."""

    _op: str

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        files = _names(filenames)
        self._files = filenames if isinstance(filenames, DatasetV2) else None
        kind = convert_to_tensor(compression_type or "", dtypes.string)
        size = int64(READ_BUFFER if buffer_size is None else buffer_size)

        def one(filename):
            return DatasetV2(call(self._op, (filename, kind, size)), element_spec=_STRING)

        joined = _joined(files, one, num_parallel_reads)
        super().__init__(joined._variant_tensor, element_spec=_STRING, parents=(joined,))


_FILES = """\
Args:
  filenames: The names of files: a string, a list, a tensor or a dataset of strings.
  compression_type: "", "ZLIB" or "GZIP".
  buffer_size: Accepted, and not used: files are read through the buffer of the operating system.
  num_parallel_reads: How many files are read at the same time, their {parts} interleaved; by default one after the
    other.
  name: A name for the operation.

Raises:
  TypeError: `filenames` are not strings.
"""


@export("data.TFRecordDataset")
@with_sections(_FILES, parts="records")
class TFRecordDataset(_Files):
    """Reads the records of TFRecord files.

    >>> from reflow.io.tf_record import TFRecordWriter
    >>> with TFRecordWriter("/tmp/reflow_one.tfrecords") as writer:
    ...     writer.write(b"one")
    >>> [x.numpy() for x in TFRecordDataset("/tmp/reflow_one.tfrecords")]
    [b'one']
    """

    _op = "TFRecordDataset"

    def _inputs(self) -> list:
        """The names of the files, which TensorFlow turns into a dataset for this reader alone."""
        return [self._files or self.names_of_files]


@export("data.TextLineDataset")
@with_sections(_FILES, parts="lines")
class TextLineDataset(_Files):
    """Reads the lines of text files, without their ends.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/poem.txt"
    >>> tf.io.write_file(path, "roses\\nviolets\\n")
    >>> [line.numpy() for line in tf.data.TextLineDataset(path)]
    [b'roses', b'violets']
    """

    _op = "TextLineDataset"


@export("data.FixedLengthRecordDataset")
@with_sections(_FILES, parts="records")
class FixedLengthRecordDataset(Reader):
    """Reads the records of files in which all have the same length, between a header and a footer.

    Args:
      record_bytes: The length of a record.
      header_bytes: The length of the header; by default there is none.
      footer_bytes: The length of the footer; by default there is none.

    >>> tf.io.write_file("/tmp/reflow_fixed.bin", "HEADaabbcc!")
    >>> ds = tf.data.FixedLengthRecordDataset("/tmp/reflow_fixed.bin", 2, header_bytes=4, footer_bytes=1)
    >>> [x.numpy() for x in ds]
    [b'aa', b'bb', b'cc']
    """

    def __init__(
        self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
        num_parallel_reads=None, name=None,
    ):
        kind = convert_to_tensor(compression_type or "", dtypes.string)
        sizes = [int64(0 if n is None else n) for n in (header_bytes, record_bytes, footer_bytes)]
        size = int64(READ_BUFFER if buffer_size is None else buffer_size)

        def one(filename):
            return DatasetV2(call("FixedLengthRecordDatasetV2", (filename, *sizes, size, kind)), element_spec=_STRING)

        self._files = filenames if isinstance(filenames, DatasetV2) else None
        joined = _joined(_names(filenames), one, num_parallel_reads)
        super().__init__(
            joined._variant_tensor, element_spec=_STRING, parents=(joined,), label="FixedLengthRecordDatasetV2"
        )
