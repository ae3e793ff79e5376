"""Helpers for all parts of `tf.data.Dataset`: creating a dataset from an op, and small conversions.

`DatasetV2` (`dataset.py`) combines one class per family of methods: `Sources`, `ElementMethods`, `BatchMethods`,
`OrderMethods`. They all create new datasets with `make`.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from reflow.api.call import call
from reflow.api.export import export_value
from reflow.core import dtypes
from reflow.core.errors import InvalidArgumentError
from reflow.core.tensor import EagerTensor, TensorBase
from reflow.data import structure
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.random_state import get_seed

AUTOTUNE = export_value(-1, "data.AUTOTUNE", "data.experimental.AUTOTUNE")
INFINITE_CARDINALITY = export_value(-1, "data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")
UNKNOWN_CARDINALITY = export_value(-2, "data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")


class Family:
    """Base of the method families. `DatasetV2` sets `_class` to itself."""

    _class: Any
    _variant_tensor: Any
    element_spec: Any
    _parents: Any
    _own_options: Any

    @staticmethod
    def _make(op: str, inputs, spec, attrs=None, parents=(), name=None, types=True):
        """A dataset of elements of `spec`, made by `op`; `parents` are the datasets it reads."""
        full = dict(attrs or {})
        if types:
            full = {**structure.type_attrs(spec), **full}
        variant = call(op, inputs, full, name)
        return _class_of(op)(variant, element_spec=spec, parents=parents)

    def _then(self, op: str, inputs=(), attrs=None, spec=None, name=None, types=True):
        """A dataset that reads this one: by default with elements of the same spec."""
        return self._make(
            op, (self._variant_tensor, *inputs), self.element_spec if spec is None else spec, attrs, (self,), name,
            types,
        )


#: how TensorFlow calls the datasets of an op, where that does not follow from the op's name
_CLASSES = {"_CacheDataset": "CacheDataset", "_GeneratorDataset": "_FlatMapDataset"}
#: the module of TensorFlow that has a class of datasets, where that does not follow from the class's name
_MODULES = {
    "_AssertCardinalityDataset": "tensorflow.python.data.experimental.ops.cardinality",
    "_OptionsDataset": "tensorflow.python.data.ops.dataset_ops",
    "_ShuffleAndRepeatDataset": "tensorflow.python.data.experimental.ops.shuffle_ops",
    "_TensorDataset": "tensorflow.python.data.ops.from_tensors_op",
    "_TensorSliceDataset": "tensorflow.python.data.ops.from_tensor_slices_op",
}


@functools.cache
def _class_of(op: str) -> type:
    name = "_" + re.sub(r"V\d$", "", op.removeprefix("Reflow>").removeprefix("Python").removeprefix("Composite"))
    return kind(_CLASSES.get(name, name))


@functools.cache
def kind(name: str) -> type:
    """The class of the datasets that an op creates, under TensorFlow's name for it: `_TensorSliceDataset`.

    It adds no methods.
    """
    words = re.findall("[A-Z][a-z]+", name.removesuffix("Dataset").replace("Parallel", ""))
    module = _MODULES.get(name, f"tensorflow.python.data.ops.{'_'.join(words).lower()}_op")
    return type(name, (Family._class,), {"__module__": module})


def int64(value, name: str = "value"):
    """A scalar int64 tensor of a number, or of a tensor of integers."""
    if isinstance(value, (float, str)):
        raise TypeError(f"`{name}` must be an integer, received: {value!r}")
    if hasattr(value, "_dtype"):  # a tensor or a variable
        tensor = convert_to_tensor(value)
        if tensor.dtype is not dtypes.int64:
            if not tensor.dtype.is_integer:
                given = tensor.dtype.name
                raise ValueError(
                    f"{name}: Tensor conversion requested dtype int64 for Tensor with dtype {given}: {tensor!r}"
                )
            tensor = call("Cast", (tensor,), {"DstT": dtypes.int64})
    else:
        tensor = convert_to_tensor(value, dtypes.int64)
    if tensor.shape.rank and isinstance(tensor, EagerTensor):
        raise InvalidArgumentError(None, None, f"{name} must be a scalar")
    return tensor


def static_value(value):
    """The value of a Python number or tensor, or None if it is unknown."""
    if isinstance(value, EagerTensor):
        return value._host()[()].item()
    if hasattr(value, "_static"):
        return value._static
    return value


def seed_tensors(seed) -> tuple:
    """The two seeds of a random dataset, as int64 tensors."""
    if isinstance(seed, EagerTensor):
        seed = int(seed)
    if isinstance(seed, TensorBase):
        return _symbolic_seeds(seed)
    first, second = get_seed(seed)
    return constant(first or 0, dtypes.int64), constant(second or 0, dtypes.int64)


def _symbolic_seeds(seed) -> tuple:
    """The two seeds where that of the op is known only when the graph runs.

    They must not both be 0, which would mean any.
    """
    first, most = constant(get_seed(1)[0], dtypes.int64), constant(dtypes.int32.max, dtypes.int64)
    zero = constant(0, dtypes.int64)
    second = call("FloorMod", (call("Cast", (seed,), {"DstT": dtypes.int64}), most))
    both = call("LogicalAnd", (call("Equal", (first, zero)), call("Equal", (second, zero))))
    return first, call("SelectV2", (both, most, second))
