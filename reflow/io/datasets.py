"""`tf.data.TFRecordDataset` and `tf.data.TextLineDataset`: datasets whose elements are strings in files."""

from __future__ import annotations

from reflow.api.array.arrange import reshape
from reflow.api.call import call
from reflow.api.export import export
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data.base import int64
from reflow.data.dataset import DatasetV2
from reflow.ops.convert import convert_to_tensor

_STRING = TensorSpec((), dtypes.string)
_BUFFER = 256 * 1024


def _names(filenames):
    """File names as a dataset of scalar strings."""
    if isinstance(filenames, DatasetV2):
        if filenames.element_spec.dtype is not dtypes.string or filenames.element_spec.shape.rank not in (0, None):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements, each of them a scalar. Got a "
                f"dataset of {filenames.element_spec!r}."
            )
        return filenames
    names = convert_to_tensor(filenames, dtypes.string)
    return DatasetV2.from_tensor_slices(reshape(names, [-1]))


class _Files(DatasetV2):
    """A dataset over the files of another dataset, one after the other or `num_parallel_reads` at a time."""

    _op: str

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        files = _names(filenames)
        kind = convert_to_tensor(compression_type or "", dtypes.string)
        size = int64(_BUFFER if buffer_size is None else buffer_size)

        def one(filename):
            return DatasetV2(call(self._op, (filename, kind, size)), element_spec=_STRING)

        if num_parallel_reads is None:
            joined = files.flat_map(one)
        else:
            joined = files.interleave(one, cycle_length=num_parallel_reads, num_parallel_calls=num_parallel_reads)
        super().__init__(joined._variant_tensor, element_spec=_STRING, parents=(joined,))


@export("data.TFRecordDataset")
class TFRecordDataset(_Files):
    """The records of TFRecord files.

    >>> from reflow.io.tf_record import TFRecordWriter
    >>> with TFRecordWriter("/tmp/reflow_one.tfrecords") as writer:
    ...     writer.write(b"one")
    >>> [x.numpy() for x in TFRecordDataset("/tmp/reflow_one.tfrecords")]
    [b'one']
    """

    _op = "TFRecordDataset"


@export("data.TextLineDataset")
class TextLineDataset(_Files):
    """The lines of text files, without their ends."""

    _op = "TextLineDataset"
