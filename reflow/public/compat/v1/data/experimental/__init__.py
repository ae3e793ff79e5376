# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.data.experimental`."""

from reflow.compat.data_iterators import make_saveable_from_iterator as make_saveable_from_iterator
from reflow.core.specs import TypeSpec as Structure
from reflow.data.base import AUTOTUNE as AUTOTUNE
from reflow.data.base import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from reflow.data.base import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from reflow.data.engine.order import SHARD_HINT as SHARD_HINT
from reflow.data.experimental_names import Counter as Counter
from reflow.data.experimental_names import RandomDataset as RandomDataset
from reflow.data.experimental_names import assert_cardinality as assert_cardinality
from reflow.data.experimental_names import bucket_by_sequence_length as bucket_by_sequence_length
from reflow.data.experimental_names import cardinality as cardinality
from reflow.data.experimental_names import choose_from_datasets as choose_from_datasets
from reflow.data.experimental_names import copy_to_device as copy_to_device
from reflow.data.experimental_names import dense_to_ragged_batch as dense_to_ragged_batch
from reflow.data.experimental_names import dense_to_sparse_batch as dense_to_sparse_batch
from reflow.data.experimental_names import enable_debug_mode as enable_debug_mode
from reflow.data.experimental_names import enumerate_dataset as enumerate_dataset
from reflow.data.experimental_names import from_list as from_list
from reflow.data.experimental_names import from_variant as from_variant
from reflow.data.experimental_names import get_next_as_optional as get_next_as_optional
from reflow.data.experimental_names import get_single_element as get_single_element
from reflow.data.experimental_names import get_structure as get_structure
from reflow.data.experimental_names import group_by_window as group_by_window
from reflow.data.experimental_names import ignore_errors as ignore_errors
from reflow.data.experimental_names import map_and_batch as map_and_batch
from reflow.data.experimental_names import pad_to_cardinality as pad_to_cardinality
from reflow.data.experimental_names import parallel_interleave as parallel_interleave
from reflow.data.experimental_names import prefetch_to_device as prefetch_to_device
from reflow.data.experimental_names import sample_from_datasets as sample_from_datasets
from reflow.data.experimental_names import scan as scan
from reflow.data.experimental_names import shuffle_and_repeat as shuffle_and_repeat
from reflow.data.experimental_names import take_while as take_while
from reflow.data.experimental_names import to_variant as to_variant
from reflow.data.experimental_names import unbatch as unbatch
from reflow.data.experimental_names import unique as unique
from reflow.data.optional import Optional as Optional
from reflow.data.optional import OptionalSpec as OptionalStructure
from reflow.data.options import AutoShardPolicy as AutoShardPolicy
from reflow.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from reflow.data.options import AutotuneOptions as AutotuneOptions
from reflow.data.options import DistributeOptions as DistributeOptions
from reflow.data.options import ExternalStatePolicy as ExternalStatePolicy
from reflow.data.options import OptimizationOptions as OptimizationOptions
from reflow.data.options import ServiceOptions as ServiceOptions
from reflow.data.options import ThreadingOptions as ThreadingOptions
from reflow.data.reducers import Reducer as Reducer
from reflow.data.reducers import group_by_reducer as group_by_reducer
from reflow.data.resampling import rejection_resample as rejection_resample
from reflow.data.saving import snapshot as snapshot
from reflow.data.service.public import distributed_save as distributed_save
from reflow.data.specs import DatasetSpec as DatasetStructure
from reflow.data.version1 import RaggedTensorStructure as RaggedTensorStructure
from reflow.data.version1 import SparseTensorStructure as SparseTensorStructure
from reflow.data.version1 import TensorArrayStructure as TensorArrayStructure
from reflow.data.version1 import TensorStructure as TensorStructure
from reflow.data.version1 import map_and_batch_with_legacy_function as map_and_batch_with_legacy_function
from reflow.io.csv_datasets import CsvDataset as CsvDataset
from reflow.io.csv_datasets import make_csv_dataset as make_csv_dataset
from reflow.io.features import make_batched_features_dataset as make_batched_features_dataset
from reflow.io.features import parse_example_dataset as parse_example_dataset
from reflow.io.sql import SqlDataset as SqlDataset
from reflow.io.tf_record import DatasetWriter as TFRecordWriter
from reflow.lookup.from_datasets import DatasetInitializer as DatasetInitializer
from reflow.lookup.from_datasets import index_table_from_dataset as index_table_from_dataset
from reflow.lookup.from_datasets import table_from_dataset as table_from_dataset
from reflow.public.compat.v1.data.experimental import service as service

__all__ = [
    "AUTOTUNE", "AutoShardPolicy", "AutotuneAlgorithm", "AutotuneOptions", "Counter", "CsvDataset",
    "DatasetInitializer", "DatasetStructure", "DistributeOptions", "ExternalStatePolicy", "INFINITE_CARDINALITY",
    "OptimizationOptions", "Optional", "OptionalStructure", "RaggedTensorStructure", "RandomDataset", "Reducer",
    "SHARD_HINT", "ServiceOptions", "SparseTensorStructure", "SqlDataset", "Structure", "TFRecordWriter",
    "TensorArrayStructure", "TensorStructure", "ThreadingOptions", "UNKNOWN_CARDINALITY", "assert_cardinality",
    "bucket_by_sequence_length", "cardinality", "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch",
    "dense_to_sparse_batch", "distributed_save", "enable_debug_mode", "enumerate_dataset", "from_list", "from_variant",
    "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer", "group_by_window",
    "ignore_errors", "index_table_from_dataset", "make_batched_features_dataset", "make_csv_dataset",
    "make_saveable_from_iterator", "map_and_batch", "map_and_batch_with_legacy_function", "pad_to_cardinality",
    "parallel_interleave", "parse_example_dataset", "prefetch_to_device", "rejection_resample", "sample_from_datasets",
    "scan", "service", "shuffle_and_repeat", "snapshot", "table_from_dataset", "take_while", "to_variant", "unbatch",
    "unique",
]
