"""One dataset read by several devices: element i goes to device i modulo their number.

`tf.distribute` strategies of libraries use these iterators; TensorFlow has them in
`tensorflow.python.data.ops.multi_device_iterator_ops`. A *shared* resource holds the dataset's position and the
elements that wait for a device. Each device has its own dataset, which requests that device's next element from the
shared resource, copies it there and prefetches some, and an iterator over that dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reflow.api.call import call
from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.specs import TensorSpec, TypeSpec
from reflow.core.tensor import Tensor
from reflow.data import structure
from reflow.data.base import int64
from reflow.data.dataset import DatasetV2
from reflow.data.experimental_names import copy_to_device
from reflow.data.functions import Traced
from reflow.data.iterators import IteratorBase, OwnedIterator
from reflow.ops.convert import constant


@export("__internal__.data._GeneratorDataset")
class _GeneratorDataset(DatasetV2):
    """Elements of `next_func(state)`, called until it is out of range; `state` is what `init_func(init_args)` returned.

    `finalize_func(state)` runs at the end, also when the iterator is thrown away before.

    >>> count = tf.Variable(0)
    >>> def step(limit):
    ...     with tf.control_dependencies([tf.debugging.assert_less(count, limit)]):
    ...         return count.assign_add(1)
    >>> spec = tf.TensorSpec([], tf.int32)
    >>> ds = tf.__internal__.data._GeneratorDataset(2, lambda x: x, step, lambda x: x, output_signature=spec)
    >>> int(next(iter(ds)))
    1
    """

    def __init__(
        self, init_args: Any, init_func: Callable, next_func: Callable, finalize_func: Callable,
        output_signature: Any = None, name: str | None = None,
    ):
        element = structure.normalize(init_args)
        arguments = structure.spec_of(element)
        init = Traced(init_func, "_GeneratorDataset", arguments)
        step, finalize = (Traced(f, "_GeneratorDataset", init.output_spec) for f in (next_func, finalize_func))
        spec = step.output_spec if output_signature is None else output_signature
        inputs = structure.to_components(arguments, element)
        attrs = {
            "init_func": init.graph, "next_func": step.graph, "finalize_func": finalize.graph,
            "Tinit_func_args": [t.dtype for t in (*inputs, *init.captured)], "Tnext_func_args": step.captured_types,
            "Tfinalize_func_args": finalize.captured_types, **structure.type_attrs(spec),
        }
        inputs += [*init.captured, *step.captured, *finalize.captured]
        variant = call("GeneratorDataset", inputs, attrs, name)
        super().__init__(variant, element_spec=spec)


def _shared_attrs(devices: Sequence[str], spec: Any) -> dict:
    if not devices:
        raise errors.InvalidArgumentError(
            None, None,
            "Length for attr 'devices' of 0 must be at least minimum 1\n\t; NodeDef: {{node MultiDeviceIterator}}",
        )
    return {"devices": list(devices), **structure.type_attrs(spec)}


def _begin(dataset: DatasetV2, shared: Tensor, max_buffer_size: int) -> Tensor:
    """Start the shared resource on a dataset: the number of this round, which readers name."""
    if max_buffer_size < 0:
        raise ValueError(f"`max_buffer_size` must not be negative. Received: {max_buffer_size}")
    return call("MultiDeviceIteratorInit", (dataset._variant_tensor, shared, int64(max_buffer_size)))


def _for_device(
    shared: Tensor, incarnation: Tensor, shard: int, device: str, spec: Any, ahead: int, source: str
) -> DatasetV2:
    """The elements of one device, as a dataset: `ahead` of them are prefetched."""

    def step(handle, incarnation):
        inputs = (handle, constant(shard, dtypes.int32), incarnation)
        return structure.from_components(
            spec, call("MultiDeviceIteratorGetNextFromShard", inputs, structure.type_attrs(spec))
        )

    def same(*held):
        return held

    elements = _GeneratorDataset((shared, incarnation), same, step, same, output_signature=spec)
    elements = copy_to_device(device, source)(elements)
    return elements.prefetch(ahead) if ahead > 0 else elements


class _ByDevice:
    """What both iterators do with their `_device_iterators`, one for each of `_devices`."""

    _devices: tuple[str, ...]
    _device_iterators: list[OwnedIterator]

    def _of(self, device: str) -> OwnedIterator:
        return self._device_iterators[self._devices.index(device)]

    def get_next(self, device: str | None = None) -> Any:
        """The next element of a device, or a list of one for each; OutOfRangeError past the end.

        >>> it = tf.__internal__.data.OwnedMultiDeviceIterator(tf.data.Dataset.range(4), ["/cpu:0", "/cpu:0"])
        >>> [int(x) for x in it.get_next()]
        [0, 1]
        """
        if device is not None:
            return self._of(device).get_next()
        return [iterator.get_next() for iterator in self._device_iterators]

    def get_next_as_optional(self) -> list:
        """An optional for each device, without a value past the end."""
        return [iterator.get_next_as_optional() for iterator in self._device_iterators]


@export("__internal__.data.MultiDeviceIterator")
class MultiDeviceIterator(_ByDevice):
    """An iterator for several devices that starts when `initializer` runs, and in eager code at once.

    Args:
        dataset: what to read.
        devices: names of devices; one may stand there twice.
        max_buffer_size: how many elements may be read ahead for a device. Elements are read when some device asks, so
            none waits because another is behind.
        prefetch_buffer_size: how many elements are made and copied ahead for each device.
        source_device: where the dataset is read, a CPU.

    >>> it = tf.__internal__.data.MultiDeviceIterator(tf.data.Dataset.range(4), ["/cpu:0", "/cpu:0"])
    >>> [int(x) for x in it.get_next()]
    [0, 1]
    """

    def __init__(
        self, dataset: DatasetV2, devices: Sequence[str], max_buffer_size: int = 1, prefetch_buffer_size: int = 1,
        source_device: str = "/cpu:0",
    ):
        self._devices, self._dataset, self._element_spec = tuple(devices), dataset, dataset.element_spec
        attrs = _shared_attrs(devices, self._element_spec)
        eager = state.graph is None
        named = {} if eager else {"shared_name": "", "container": ""}
        self._shared = call(
            "AnonymousMultiDeviceIteratorV3" if eager else "MultiDeviceIterator", (), {**attrs, **named}
        )
        resources = [_device_iterator(self._element_spec, named) for _ in devices]
        self._device_iterators = [OwnedIterator(components=[r], element_spec=self._element_spec) for r in resources]
        self._sizes = (max_buffer_size, prefetch_buffer_size)
        self._source_device = source_device
        self._initializer = self._start()

    element_spec = property(lambda self: self._element_spec)

    def _start(self) -> Any:
        """Begin a round on the dataset. Returns the operation in a graph."""
        incarnation = _begin(self._dataset, self._shared, self._sizes[0])
        parts = _device_datasets(
            self._shared, incarnation, self._devices, self._element_spec, self._sizes[1], self._source_device
        )
        started = []
        for part, iterator in zip(parts, self._device_iterators, strict=True):
            call("MakeIterator", (part._variant_tensor, iterator._iterator_resource))
            if state.graph is not None:
                started.append(state.graph.nodes[-1])
        return group(*started) if started else None

    def _eager_reset(self) -> None:
        """Starts over."""
        if state.graph is not None:
            raise ValueError("Resetting a multi-device iterator is only supported in the eager mode.")
        self._start()

    @property
    def initializer(self) -> Any:
        """The operation that begins a round; None in eager code, where one has begun."""
        return self._initializer


def _device_iterator(spec: Any, named: dict) -> Tensor:
    return call("IteratorV2" if named else "AnonymousIteratorV3", (), {**structure.type_attrs(spec), **named})


def _device_datasets(
    shared: Tensor, incarnation: Tensor, devices: Sequence[str], spec: Any, ahead: int, source_device: str
) -> list[DatasetV2]:
    return [_for_device(shared, incarnation, i, device, spec, ahead, source_device) for i, device in enumerate(devices)]


@export("__internal__.data.OwnedMultiDeviceIterator")
class OwnedMultiDeviceIterator(_ByDevice, IteratorBase):
    """An iterator for several devices that owns its position: for eager code and functions, which take it as an
    argument.

    The arguments are those of `MultiDeviceIterator`; `components` and `element_spec` make it from its tensors.

    >>> it = tf.__internal__.data.OwnedMultiDeviceIterator(tf.data.Dataset.range(4), ["/cpu:0", "/cpu:0"])
    >>> [[int(x) for x in elements] for elements in it]
    [[0, 1], [2, 3]]
    """

    def __init__(
        self, dataset: DatasetV2 | None = None, devices: Sequence[str] | None = None, max_buffer_size: int = 1,
        prefetch_buffer_size: int = 1, source_device: str = "/cpu:0", components: Sequence[Tensor] | None = None,
        element_spec: Any = None,
    ):
        if state.graph is not None and not state.graph.building_function:
            raise RuntimeError(
                "OwnedMultiDeviceIterator is only supported inside of tf.function or when eager execution is enabled."
            )
        if devices is None:
            raise ValueError("`devices` must be provided.")
        self._devices, self._source_device = tuple(devices), source_device
        if dataset is None:
            if components is None or element_spec is None:
                raise ValueError(
                    "When `dataset` is not provided, both `components` and `element_spec` must be specified."
                )
            self._element_spec = element_spec
            self._shared, *resources = components
            self._device_iterators = [OwnedIterator(components=[r], element_spec=element_spec) for r in resources]
            return
        if components is not None or element_spec is not None:
            raise ValueError("When `dataset` is provided, `element_spec` and `components` must not be specified.")
        self._element_spec = dataset.element_spec
        self._shared = call("AnonymousMultiDeviceIteratorV3", (), _shared_attrs(devices, self._element_spec))
        incarnation = _begin(dataset, self._shared, max_buffer_size)
        parts = _device_datasets(
            self._shared, incarnation, devices, self._element_spec, prefetch_buffer_size, source_device
        )
        self._device_iterators = [OwnedIterator(part) for part in parts]

    element_spec = property(lambda self: self._element_spec)
    _type_spec = property(lambda self: MultiDeviceIteratorSpec(self._devices, self._source_device, self._element_spec))

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    next = __next__


@export("__internal__.data.MultiDeviceIteratorSpec")
class MultiDeviceIteratorSpec(TypeSpec):
    """The spec of an `OwnedMultiDeviceIterator`.

    >>> spec = tf.__internal__.data.MultiDeviceIteratorSpec(["/cpu:0"], "/cpu:0", tf.TensorSpec([]))
    >>> spec.value_type.__name__
    'OwnedMultiDeviceIterator'
    """

    __slots__ = ("_devices", "_source_device", "_element_spec")

    def __init__(self, devices: Sequence[str], source_device: str, element_spec: Any):
        self._devices, self._source_device, self._element_spec = tuple(devices), source_device, element_spec

    value_type = property(lambda self: OwnedMultiDeviceIterator)

    def _serialize(self):
        return (self._devices, self._source_device, self._element_spec)

    @property
    def _component_specs(self):
        return tuple(TensorSpec([], dtypes.resource) for _ in (None, *self._devices))

    def _to_components(self, value):
        return (value._shared, *(iterator._iterator_resource for iterator in value._device_iterators))

    def _from_components(self, components):
        return OwnedMultiDeviceIterator(
            devices=self._devices, source_device=self._source_device, components=components,
            element_spec=self._element_spec,
        )

    @staticmethod
    def from_value(value):
        return value._type_spec
