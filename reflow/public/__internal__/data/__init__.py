# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.data`."""

from typing import TYPE_CHECKING

from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.data.dataset import _RangeDataset as _RangeDataset
    from reflow.data.dataset import _SparseTensorSliceDataset as _SparseTensorSliceDataset
    from reflow.data.dataset import _TensorDataset as _TensorDataset
    from reflow.data.dataset import _TensorSliceDataset as _TensorSliceDataset
    from reflow.data.experimental_names import compute_batch_size as compute_batch_size
    from reflow.data.experimental_names import get_seed as get_seed
    from reflow.data.experimental_names import global_shuffle as _global_shuffle
    from reflow.data.experimental_names import toggle_debug_mode as toggle_debug_mode
    from reflow.data.iterators import OwnedIterator as OwnedIterator
    from reflow.data.multi_device import MultiDeviceIterator as MultiDeviceIterator
    from reflow.data.multi_device import MultiDeviceIteratorSpec as MultiDeviceIteratorSpec
    from reflow.data.multi_device import OwnedMultiDeviceIterator as OwnedMultiDeviceIterator
    from reflow.data.multi_device import _GeneratorDataset as _GeneratorDataset
    from reflow.io.features import make_tf_record_dataset as make_tf_record_dataset

__getattr__ = later(__name__)

__all__ = [
    "MultiDeviceIterator", "MultiDeviceIteratorSpec", "OwnedIterator", "OwnedMultiDeviceIterator", "_GeneratorDataset",
    "_RangeDataset", "_SparseTensorSliceDataset", "_TensorDataset", "_TensorSliceDataset", "_global_shuffle",
    "compute_batch_size", "get_seed", "make_tf_record_dataset", "toggle_debug_mode",
]
