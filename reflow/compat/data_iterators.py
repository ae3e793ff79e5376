"""Version 1 iterators: read by `session.run`, started by an operation, selected by a string.

- A *one-shot* iterator starts automatically, once per session; its dataset may not depend on variables or placeholders.
- An *initializable* one starts when its `initializer` runs.
- A *reinitializable* one (`from_structure`) has an initializer for each dataset.
- A *feedable* one (`from_string_handle`) is the iterator that a string names, which may be fed.
"""

from __future__ import annotations

from typing import Any

from reflow.api.call import call
from reflow.api.export import export
from reflow.compat.behavior import get_default_graph
from reflow.compat.sessions.fetches import needed_for
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.core.shallow_nest import map_structure_up_to
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorSpec
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.data import structure
from reflow.data.dataset import DatasetV2
from reflow.data.iterators import IteratorBase, OwnedIterator
from reflow.data.options import ExternalStatePolicy
from reflow.graph.clone import copy_nodes
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph
from reflow.ops.convert import convert_to_tensor
from reflow.ops.random_state import get_seed
from reflow.train.saveables import SaveableObject, SaveSpec


class _IteratorMeta(type(IteratorBase)):  # type: ignore[misc]
    """Every iterator is a `tf.compat.v1.data.Iterator`."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, IteratorBase)


@export("compat.v1.data.Iterator")
class Iterator(OwnedIterator, metaclass=_IteratorMeta):
    """An iterator of a graph: `get_next` gives tensors, which a session evaluates.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
    ...     number = iterator.get_next()
    ...     for numbers in (tf.data.Dataset.range(5, 7), tf.data.Dataset.range(8, 10)):
    ...         session.run(iterator.make_initializer(numbers))
    ...         session.run(number).item()
    5
    8
    """

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes):
        spec = spec_from(output_types, output_shapes, output_classes)
        super().__init__(components=[iterator_resource], element_spec=spec)
        self._initializer = initializer
        self._handle: Any = None

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None) -> Iterator:
        """An iterator for any dataset with elements of a structure; `make_initializer` starts one.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
        ...     start, element = iterator.make_initializer(tf.data.Dataset.range(2)), iterator.get_next()
        ...     session.run(start)
        ...     session.run(element).item()
        0
        """
        spec = spec_from(output_types, output_shapes, output_classes)
        return _over(_resource(spec, shared_name), None, spec)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None) -> Iterator:
        """The iterator that a string names: one that `string_handle()` of another gave."""
        spec = spec_from(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtypes.string)
        return _over(call("IteratorFromStringHandleV2", (handle,), structure.type_attrs(spec)), None, spec)

    @property
    def initializer(self):
        """The operation that starts the iterator."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """An operation that starts this iterator on a dataset."""
        mine, theirs = legacy_types(self._element_spec), legacy_types(dataset.element_spec)
        nest.assert_same_structure(mine, theirs)
        for want, have in zip(nest.flatten(mine), nest.flatten(theirs), strict=True):
            if want != have:
                raise TypeError(f"Expected output types {mine!r} but got dataset with output types {theirs!r}.")
        shapes = (nest.flatten(legacy_shapes(s)) for s in (self._element_spec, dataset.element_spec))
        for want, have in zip(*shapes, strict=True):
            if not want.is_compatible_with(have):
                raise TypeError(
                    f"Expected output shapes compatible with {want} but got dataset with output shapes {have}."
                )
        return _start(dataset, self._iterator_resource, name or "make_initializer")

    def get_next(self, name=None):
        """The next element."""
        out = call("IteratorGetNext", (self._iterator_resource,), self._attrs, name)
        return self._pack(out)

    def string_handle(self, name=None):
        """A tensor with the string that names this iterator, for `from_string_handle`."""
        if self._handle is None or name is not None:
            self._handle = call("IteratorToStringHandle", (self._iterator_resource,), {}, name)
        return self._handle

    output_types = property(lambda self: legacy_types(self._element_spec))
    output_shapes = property(lambda self: legacy_shapes(self._element_spec))
    output_classes = property(lambda self: legacy_classes(self._element_spec))


def _over(resource, initializer, spec) -> Iterator:
    return Iterator(resource, initializer, legacy_types(spec), legacy_shapes(spec), legacy_classes(spec))


def _resource(spec, shared_name=None):
    attrs = {**structure.type_attrs(spec), "shared_name": shared_name or "", "container": ""}
    return call("IteratorV2", (), attrs)


def _start(dataset, resource, name=None):
    call("MakeIterator", (dataset._variant_tensor, resource), {}, name)
    return state.graph.nodes[-1]


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that starts when its `initializer` runs.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
    ...     element = iterator.get_next()
    ...     session.run(iterator.initializer)
    ...     [session.run(element).item() for _ in range(3)]
    [0, 1, 2]
    """
    if state.graph is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
        )
    resource = _resource(dataset.element_spec, shared_name)
    return _over(resource, _start(dataset, resource), dataset.element_spec)


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset):
    """An iterator that starts automatically, once per session. In eager code: a Python iterator.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     numbers = tf.data.Dataset.range(3)
    ...     number = tf.compat.v1.data.make_one_shot_iterator(numbers).get_next()
    ...     [session.run(number).item() for _ in range(3)]
    [0, 1, 2]
    """
    if state.graph is None:
        return iter(dataset)
    get_seed(None)  # TensorFlow gives the function that makes the dataset an op seed, which the next op does not get
    factory = _factory(dataset._variant_tensor)
    attrs = {
        **structure.type_attrs(dataset.element_spec), "dataset_factory": factory, "shared_name": "", "container": ""
    }
    return _over(call("OneShotIterator", (), attrs), None, dataset.element_spec)


def _factory(variant: Tensor) -> FuncGraph:
    """A function without arguments that makes a dataset: a copy of the nodes on which it depends."""
    graph = get_default_graph()
    needed = needed_for([variant], set())
    for node in needed:
        if node.record is PLACEHOLDER or node.record.makes_resource:
            raise ValueError(
                "Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()` does not "
                "support datasets that capture stateful objects, such as a `Variable` or `LookupTable`. In these "
                "cases, use `Dataset.make_initializable_iterator()`. (Original error: it depends on "
                f"{node.name!r}, a {node.type}.)"
            )
    copy = FuncGraph("dataset_factory")
    tensors = copy_nodes([n for n in graph.nodes if n in needed], copy, {})
    copy.outputs = [tensors[variant._id]]
    return copy


# --- positions in checkpoints -----------------------------------------------------------------------------------------


class IteratorSaveable(SaveableObject):
    """The position of an iterator in a graph, for a Saver."""

    def __init__(self, resource: Tensor, name: str, policy: int):
        position = call("SerializeIterator", (resource,), {"external_state_policy": policy})
        super().__init__(resource, [SaveSpec(position, "", f"{name}_STATE")], name)

    def restore(self, restored_tensors, restored_shapes):
        call("DeserializeIterator", (self.op, restored_tensors[0]))
        return None if state.graph is None else state.graph.nodes[-1]


@export("data.experimental.make_saveable_from_iterator")
def make_saveable_from_iterator(iterator, external_state_policy=None):
    """Returns what a `tf.compat.v1.train.Saver` takes to save the position of an iterator and to go back to it.

    Args:
      iterator: An iterator of a graph.
      external_state_policy: "fail", "warn" or "ignore" (or an `ExternalStatePolicy`): what to do if functions of the
        dataset use variables, random numbers or Python code, whose state is not saved. "fail" unless it is given.

    Returns:
      An object for the `var_list` of the saver.

    Raises:
      ValueError: There is no such policy.

    >>> with tf.Graph().as_default():
    ...     iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
    ...     tf.data.experimental.make_saveable_from_iterator(iterator).name
    'IteratorV2:0'
    """
    policy = external_state_policy
    if policy is None:
        policy = ExternalStatePolicy.FAIL
    elif isinstance(policy, str) and policy in ("warn", "ignore", "fail"):
        policy = ExternalStatePolicy[policy.upper()]
    elif not isinstance(policy, ExternalStatePolicy):
        raise ValueError(
            "Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and 'fail.' "
            f"Received {external_state_policy}."
        )
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name, policy.value)


# --- structures as version 1 says them --------------------------------------------------------------------------------


def spec_from(types, shapes=None, classes=None):
    """The element spec for nested dtypes, shapes and classes."""
    types = nest.map_structure(dtypes.as_dtype, types)
    if shapes is None:
        shapes = nest.map_structure(lambda _: TensorShape(None), types)
    else:
        shapes = map_structure_up_to(types, TensorShape, shapes)
    if classes is None:
        classes = nest.map_structure(lambda _: Tensor, types)

    def one(kind, shape, cls):
        if isinstance(cls, type) and issubclass(cls, SparseTensor):
            return SparseTensorSpec(shape, kind)
        return TensorSpec(shape, kind) if isinstance(cls, type) else cls

    return map_structure_up_to(types, one, types, shapes, classes)


def legacy_types(spec):
    return nest.map_structure(lambda s: getattr(s, "dtype", dtypes.variant), spec)


def legacy_shapes(spec):
    return nest.map_structure(lambda s: getattr(s, "shape", TensorShape([])), spec)


def legacy_classes(spec):
    def cls(s):
        return Tensor if isinstance(s, TensorSpec) else SparseTensor if isinstance(s, SparseTensorSpec) else s

    return nest.map_structure(cls, spec)


# Datasets have these methods as soon as a program has asked for `tf.compat.v1.data`: TensorFlow 2's have them not.
for _name, _method in {
    "make_one_shot_iterator": make_one_shot_iterator,
    "make_initializable_iterator": make_initializable_iterator,
    "output_types": property(lambda self: legacy_types(self.element_spec)),
    "output_shapes": property(lambda self: legacy_shapes(self.element_spec)),
    "output_classes": property(lambda self: legacy_classes(self.element_spec)),
}.items():
    setattr(DatasetV2, _name, _method)

