"""`tf.data.Dataset`.

A dataset is a composite value with one component: a variant tensor that holds the pipeline
(`reflow/data/engine/values.py`). The class is called `DatasetV2`, as in TensorFlow, because Keras looks for that name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.core.context import state
from reflow.core.tensor import EagerTensor
from reflow.data import python_generators, structure  # noqa: F401 - the first extends a record
from reflow.data.base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Family, int64, kind
from reflow.data.batches import BatchMethods
from reflow.data.elements import ElementMethods
from reflow.data.iterators import NumpyIterator, OwnedIterator
from reflow.data.ordering import OrderMethods
from reflow.data.recipes import RecipeMethods
from reflow.data.resampling import ResampleMethods
from reflow.data.saving import SaveMethods
from reflow.data.sources import Sources
from reflow.data.specs import DatasetSpec
from reflow.tracking.trackable import Trackable

#: listeners that are told of every new dataset (`reflow explain`)
LISTENERS: list[Callable[[DatasetV2], None]] = []


@export("data.Dataset")
class DatasetV2(
    Sources, BatchMethods, ResampleMethods, ElementMethods, OrderMethods, SaveMethods, RecipeMethods, Trackable
):
    """A sequence of elements, described by its source and its transformations; nothing runs before it is iterated over.

    Make one with `from_tensor_slices`, `range`, `from_generator` or a class such as `tf.data.TFRecordDataset`.

    Args:
      variant_tensor: The variant tensor that holds the pipeline.
      element_spec: The structure of `tf.TypeSpec`s of an element.
      parents: The datasets that this one reads.
      label: A name to show instead of that of the class.

    >>> ds = tf.data.Dataset.range(4).map(lambda x: x * 2).batch(2)
    >>> [x.numpy().tolist() for x in ds]
    [[0, 2], [4, 6]]
    """

    __module__ = "tensorflow.python.data.ops.dataset_ops"
    _is_composite = True

    def __init__(self, variant_tensor, element_spec=None, parents=(), label=None):
        self._variant = variant_tensor
        if element_spec is not None:
            self._element_spec = element_spec
        self._parents = tuple(parents)
        self._own_options = None
        self._label = label
        for tell in LISTENERS:
            tell(self)

    @property
    def element_spec(self):
        """The structure of specs of an element.

        >>> tf.data.Dataset.range(2).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return self._element_spec

    _variant_tensor = property(lambda self: self._variant)
    _type_spec = property(lambda self: DatasetSpec(self.element_spec))

    def _inputs(self) -> list:
        return list(self._parents)

    # --- reading

    def __iter__(self):
        if state.graph is not None and not state.graph.building_function:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function."
            )
        return OwnedIterator(self)

    def as_numpy_iterator(self):
        """Returns an iterator over the elements as NumPy arrays.

        Returns:
          A `tf.data.NumpyIterator`; its arrays are read-only.

        Raises:
          RuntimeError: It is called inside a `tf.function`.

        >>> next(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        array([1, 2], dtype=int32)
        """
        if state.graph is not None:
            raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
        return NumpyIterator(self)

    def get_single_element(self, name=None):
        """Returns the element of a dataset that has exactly one.

        Args:
          name: A name for the operation.

        Returns:
          The element.

        Raises:
          InvalidArgumentError: There is no element, or more than one.

        >>> int(tf.data.Dataset.from_tensors(7).get_single_element())
        7
        """
        spec = self.element_spec
        return structure.from_components(
            spec, call("DatasetToSingleElement", (self._variant_tensor,), structure.type_attrs(spec), name)
        )

    # --- size

    def cardinality(self):
        """Returns the number of elements, as far as it is known without reading them.

        Returns:
          An int64 scalar; `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY` if there is no such number.

        >>> int(tf.data.Dataset.range(5).batch(2).cardinality())
        3
        """
        return call("DatasetCardinality", (self._variant_tensor,))

    def __len__(self):
        if state.graph is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
            )
        size = int(self.cardinality())
        if size == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return size

    def __getitem__(self, index):
        """Returns the element at an index, where random access is possible.

        Args:
          index: An integer; negative ones count from the end.

        Returns:
          The element.

        Raises:
          IndexError: There are not that many elements.
          UnimplementedError: A transformation, such as `filter`, does not know its elements by index.

        >>> int(tf.data.Dataset.range(10).map(lambda x: x * x)[-1])
        81
        """
        index, size = operator.index(index), self.cardinality()
        if isinstance(size, EagerTensor) and int(size) >= 0 and not -int(size) <= index < int(size):
            raise IndexError(f"Index {index} is out of range for a dataset of {int(size)} elements.")
        spec, where = self.element_spec, int64(index) if index >= 0 else size + int64(index)
        element = call("GetElementAtIndex", (self._variant_tensor, where), structure.type_attrs(spec))
        return structure.from_components(spec, element)

    def __bool__(self):
        return True

    __nonzero__ = __bool__

    def __repr__(self):
        name = self._label or type(self).__name__
        return f"<{name} element_spec={self.element_spec}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """What a notebook shows. Nothing is read."""
        from reflow.core import html

        count = int(self.cardinality()) if isinstance(self._variant_tensor, EagerTensor) else UNKNOWN_CARDINALITY
        known = {INFINITE_CARDINALITY: "infinitely many", UNKNOWN_CARDINALITY: "unknown"}
        return html.card(
            self._label or type(self).__name__, {"elements": known.get(count, count), "element": self.element_spec}
        )


Family._class = DatasetV2
# classes that libraries compare with, by TensorFlow's names
_RangeDataset = export_value(kind("_RangeDataset"), "__internal__.data._RangeDataset")
_SparseTensorSliceDataset = export_value(
    kind("_SparseTensorSliceDataset"), "__internal__.data._SparseTensorSliceDataset"
)
_TensorDataset = export_value(kind("_TensorDataset"), "__internal__.data._TensorDataset")
_TensorSliceDataset = export_value(kind("_TensorSliceDataset"), "__internal__.data._TensorSliceDataset")
