# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.data`."""

from reflow.compat.data_iterators import Iterator as Iterator
from reflow.compat.data_iterators import make_initializable_iterator as make_initializable_iterator
from reflow.compat.data_iterators import make_one_shot_iterator as make_one_shot_iterator
from reflow.data.base import AUTOTUNE as AUTOTUNE
from reflow.data.base import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from reflow.data.base import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from reflow.data.dataset import DatasetV2 as Dataset
from reflow.data.iterators import NumpyIterator as NumpyIterator
from reflow.data.options import Options as Options
from reflow.data.options import ThreadingOptions as ThreadingOptions
from reflow.data.specs import DatasetSpec as DatasetSpec
from reflow.data.version1 import get_output_classes as get_output_classes
from reflow.data.version1 import get_output_shapes as get_output_shapes
from reflow.data.version1 import get_output_types as get_output_types
from reflow.io.datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from reflow.io.datasets import TFRecordDataset as TFRecordDataset
from reflow.io.datasets import TextLineDataset as TextLineDataset
from reflow.public.compat.v1.data import experimental as experimental

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions", "UNKNOWN_CARDINALITY",
    "experimental", "get_output_classes", "get_output_shapes", "get_output_types", "make_initializable_iterator",
    "make_one_shot_iterator",
]
