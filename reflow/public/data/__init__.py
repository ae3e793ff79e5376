# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.data`: input pipelines."""

from reflow.data.base import AUTOTUNE as AUTOTUNE
from reflow.data.base import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from reflow.data.base import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from reflow.data.dataset import DatasetV2 as Dataset
from reflow.data.iterators import IteratorBase as Iterator
from reflow.data.iterators import IteratorSpec as IteratorSpec
from reflow.data.iterators import NumpyIterator as NumpyIterator
from reflow.data.options import Options as Options
from reflow.data.options import ThreadingOptions as ThreadingOptions
from reflow.data.specs import DatasetSpec as DatasetSpec
from reflow.data.stage_times import explain as explain
from reflow.io.datasets import FixedLengthRecordDataset as FixedLengthRecordDataset
from reflow.io.datasets import TFRecordDataset as TFRecordDataset
from reflow.io.datasets import TextLineDataset as TextLineDataset
from reflow.public.data import experimental as experimental

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator",
    "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "UNKNOWN_CARDINALITY", "experimental", "explain",
]
