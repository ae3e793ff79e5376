"""Trackable objects: the nodes that a checkpoint traverses.

A `Trackable` has named children (`_trackable_children`) and may hold values (`_serialize_to_tensors`,
`_restore_from_tensors`). Variables, modules, layers, optimizers and tracked lists and dictionaries are trackable. An
`AutoTrackable` makes a child of everything trackable that is assigned to one of its attributes, and wraps lists,
dictionaries and tuples so that their contents are found too (`reflow/tracking/wrapping.py`).

A checkpoint that was restored before a child existed waits in the parent's `_deferred_dependencies`, under the child's
name, as a *position*: an object with `checkpoint.restore_uid` and `restore(trackable)`. It is applied when the child is
tracked (`reflow/train/restore.py`).

The bookkeeping attributes have TensorFlow's names (`_self_…`), since subclasses elsewhere read them. They bypass the
object's own `__setattr__`, because Keras layers, for example, wrap and lock assigned values.
"""

from __future__ import annotations

import collections
import copy
import functools
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

_set = object.__setattr__


class SaveType:
    """The purpose of `_trackable_children`: a checkpoint, or a SavedModel, which includes functions."""

    CHECKPOINT = "checkpoint"
    SAVEDMODEL = "savedmodel"


class TrackableReference:
    """A named edge to a child. Not a tuple: Keras saves what it finds in an object's tuples as the object's own."""

    __slots__ = ("name", "ref")

    def __init__(self, name: str, ref: Any) -> None:
        self.name, self.ref = name, ref

    def __iter__(self) -> Iterator[Any]:
        return iter((self.name, self.ref))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrackableReference) and (self.name, self.ref) == (other.name, other.ref)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"TrackableReference(name={self.name}, ref={self.ref})"


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method in which assigning to attributes of `self` tracks nothing."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        _set(self, "_self_setattr_tracking", False)
        try:
            return method(self, *args, **kwargs)
        finally:
            _set(self, "_self_setattr_tracking", before)

    return untracked


class Trackable:
    """Base of objects that a checkpoint can save by following the names of their attributes."""

    _self_unconditional_checkpoint_dependencies: list[TrackableReference]
    _self_unconditional_dependency_names: dict[str, Trackable]
    _self_unconditional_deferred_dependencies: dict[str, list]
    _self_update_uid: int
    _self_name_based_restores: list

    # Not in __init__: most subclasses would forget to call it.
    def _maybe_initialize_trackable(self) -> None:
        if hasattr(self, "_self_unconditional_checkpoint_dependencies"):
            return
        _set(self, "_self_unconditional_checkpoint_dependencies", [])
        _set(self, "_self_unconditional_dependency_names", {})
        _set(self, "_self_unconditional_deferred_dependencies", {})
        _set(self, "_self_update_uid", -1)
        _set(self, "_self_name_based_restores", [])

    @property
    def _setattr_tracking(self) -> bool:
        return getattr(self, "_self_setattr_tracking", True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        _set(self, "_self_setattr_tracking", value)

    @property
    def _update_uid(self) -> int:
        """The number of the last restore that gave this object its value; the highest wins."""
        return self._self_update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        _set(self, "_self_update_uid", value)

    _unconditional_checkpoint_dependencies = property(lambda self: self._self_unconditional_checkpoint_dependencies)
    _unconditional_dependency_names = property(lambda self: self._self_unconditional_dependency_names)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        self._maybe_initialize_trackable()
        return self._self_unconditional_checkpoint_dependencies

    @property
    def _deferred_dependencies(self) -> dict[str, list]:
        """Positions in checkpoints, by the name of the child that they wait for."""
        self._maybe_initialize_trackable()
        return self._self_unconditional_deferred_dependencies

    @property
    def _name_based_restores(self) -> list:
        """Restores of checkpoints by the names of variables, which reach children that come later."""
        self._maybe_initialize_trackable()
        return self._self_name_based_restores

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    def _lookup_dependency(self, name: str, cached_dependencies: dict | None = None) -> Any:
        """The child of that name, or None."""
        if cached_dependencies:
            return cached_dependencies.get(name)
        self._maybe_initialize_trackable()
        return self._self_unconditional_dependency_names.get(name)

    def _no_dependency(self, value: Any) -> Any:
        """`value` in a form whose assignment to an attribute tracks nothing."""
        return value

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Make `trackable` a child. Values that a restored checkpoint holds for it are assigned now."""
        self._maybe_initialize_trackable()
        if not isinstance(trackable, Trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. "
                f"Got type {type(trackable)}."
            )
        if not getattr(self, "_manual_tracking", True):
            return trackable
        reference = TrackableReference(name, trackable)
        current = self._lookup_dependency(name)
        if current is None:
            self._self_unconditional_checkpoint_dependencies.append(reference)
            self._handle_deferred_dependencies(name, trackable)
        elif current is not trackable:
            if not overwrite:
                raise ValueError(
                    f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this "
                    "name is already declared as a dependency. Names must be unique (or overwrite=True)."
                )
            references = self._self_unconditional_checkpoint_dependencies
            references[:] = [reference if old.name == name else old for old in references]
        self._self_unconditional_dependency_names[name] = trackable
        return trackable

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Give a new child the values of checkpoints that were restored before it existed, the latest first."""
        trackable._maybe_initialize_trackable()
        positions = self._deferred_dependencies.pop(name, ())
        for position in sorted(positions, key=lambda p: p.checkpoint.restore_uid, reverse=True):
            position.restore(trackable)
        for restore in sorted(self._name_based_restores, key=lambda r: r.restore_uid, reverse=True):
            restore.apply([trackable])

    def _add_variable_with_custom_getter(
        self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, getter: Any = None,
        overwrite: bool = False, **kwargs_for_getter: Any,
    ) -> Any:
        """Track the variable that `getter` makes; a restored checkpoint's value for it replaces the initial one."""
        variable = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)
        if overwrite and not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name=name, overwrite=overwrite)

    def _add_trackable_child(self, name: str, value: Any) -> None:
        """Connect a child that was read from a SavedModel."""
        self._track_trackable(value, name, overwrite=True)

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        return {reference.name: reference.ref for reference in self._checkpoint_dependencies}

    def _serialize_to_proto(self, object_proto: Any = None, **kwargs: Any) -> Any:
        """What a SavedModel stores of an object of a registered class besides its children.

        A protobuf message, or None.
        """
        return None

    @classmethod
    def _deserialize_from_proto(cls, **kwargs: Any) -> Any:
        """An object of a registered class from a SavedModel."""
        return cls()

    def _deserialization_dependencies(self, children: dict) -> dict:
        """Children that must be read from a SavedModel before this object."""
        return {}

    def _serialize_to_tensors(self) -> dict:
        """Tensors to save for this object itself, by name."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict) -> Any:
        """Take the values saved by `_serialize_to_tensors`."""
        raise NotImplementedError

    def _gather_saveables_for_checkpoint(self) -> dict:
        """What to save for this object itself, by name, in the older protocol: saveables, or functions making them."""
        return {}


def gathers_saveables(obj: Any) -> bool:
    """Whether the object saves by `_gather_saveables_for_checkpoint`: its class defines that, and no class derived
    from the one that does defines `_serialize_to_tensors`."""
    for kind in type(obj).__mro__:
        if kind is Trackable or "_serialize_to_tensors" in kind.__dict__:
            return False
        if "_gather_saveables_for_checkpoint" in kind.__dict__:
            return True
    return hasattr(obj, "_gather_saveables_for_checkpoint")


def has_values(obj: Any) -> bool:
    """Whether the object itself has something to save, besides its children."""
    own = getattr(obj, "_serialize_to_tensors", None)
    return getattr(own, "__func__", own) is not Trackable._serialize_to_tensors or gathers_saveables(obj)


def is_function(value: Any) -> bool:
    """Whether `value` is a `tf.function` or one of its traces (which live above this layer)."""
    kind = type(value)
    return hasattr(kind, "get_concrete_function") or hasattr(kind, "structured_input_signature")


class AutoTrackable(Trackable):
    """A `Trackable` whose attributes are its children.

    >>> parent = AutoTrackable()
    >>> parent.child = AutoTrackable()
    >>> parent.items = [1, AutoTrackable()]
    >>> list(parent._trackable_children())
    ['child', 'items']
    """

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            if getattr(self, name) is value:
                return
        except AttributeError:
            pass
        if getattr(self, "_self_setattr_tracking", True):
            value = wrapping.sticky_attribute_assignment(trackable=self, name=name, value=value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        self._maybe_initialize_trackable()
        if self._self_unconditional_dependency_names.pop(name, None) is not None:
            references = self._self_unconditional_checkpoint_dependencies
            references[:] = [reference for reference in references if reference.name != name]

    def _no_dependency(self, value: Any) -> Any:
        return wrapping.NoDependency(value)

    def _add_trackable_child(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def _trackable_children(self, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        if save_type != SaveType.SAVEDMODEL:
            return super()._trackable_children(save_type, **kwargs)
        functions = {name: value for name, value in _attributes(self) if is_function(value)}
        for function in functions.values():
            # A function with an input signature is traced now: that may create variables, which become children.
            trace = getattr(function, "_list_all_concrete_functions_for_serialization", None)
            if trace is not None:
                trace()
        children = {}
        for name, child in self._checkpoint_dependencies:
            if is_function(child):
                continue
            if name in functions and child is not functions[name]:
                raise ValueError(
                    "Can't save object because it has multiple children with the same name. "
                    f"Object: {self}, attribute name: {name}, child 1: {child}, child 2: {functions[name]}"
                )
            children[name] = child
        return children | functions


def _attributes(obj: Any) -> Iterator[tuple[str, Any]]:
    """All readable attributes. A failing user-defined property must not prevent a save."""
    for name in dir(obj):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield name, getattr(obj, name, None)
            except Exception:
                continue


# ---------------------------------------------------------------- walking


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dictionary whose keys are compared by identity: variables are not hashable, lists are equal to others."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items: dict[int, tuple[Any, Any]] = {}
        self.update(items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items[id(key)] = (key, value)

    def __delitem__(self, key: Any) -> None:
        del self._items[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self._items.values()])

    def __contains__(self, key: object) -> bool:
        return id(key) in self._items

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({list(self._items.values())!r})"


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set of objects by identity."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = {id(item): item for item in items}

    @classmethod
    def _from_iterable(cls, iterable: Iterable[Any]) -> Self:
        return cls(iterable)

    def add(self, value: Any) -> None:
        self._items[id(value)] = value

    def discard(self, value: Any) -> None:
        self._items.pop(id(value), None)

    def update(self, items: Iterable[Any]) -> None:
        """Put objects in."""
        for item in items:
            self.add(item)

    def difference(self, items: Iterable[Any]) -> Self:
        """The objects of this set that are not among others."""
        return self - type(self)(items)  # type: ignore[return-value]  # the base does not say that the type stays

    def intersection(self, items: Iterable[Any]) -> Self:
        """The objects of this set that are among others too."""
        return self & type(self)(items)  # type: ignore[return-value]

    def __contains__(self, value: object) -> bool:
        return id(value) in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._items.values()))

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ObjectIdentitySet({list(self)!r})"


def convert_to_trackable(obj: Any) -> Trackable:
    """`obj`, or the trackable wrapper of a plain list, dictionary or tuple."""
    obj = wrapping.wrap(obj)
    if not isinstance(obj, Trackable):
        raise ValueError(f"Cannot convert {obj} to Trackable.")
    return obj


class TrackableView:
    """Shows the objects that can be reached from a root, in breadth-first order.

    Args:
      root: The root, a trackable object. It is held weakly.

    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
    >>> sorted(tf.train.TrackableView(checkpoint).children(checkpoint))
    ['step']
    """

    def __init__(self, root: Any) -> None:
        # weak: the root may hold deferred restorations that lead back here
        self._root_ref = root if isinstance(root, weakref.ref) else _reference(root)

    @classmethod
    def children(cls, obj: Any, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:
        """Returns the children of an object.

        Args:
          obj: A trackable object.
          save_type: "checkpoint" or "savedmodel": what they would be saved for.
          **kwargs: More arguments for the object's `_trackable_children`.

        Returns:
          A dictionary from names to objects.
        """
        obj._maybe_initialize_trackable()
        return {
            name: convert_to_trackable(child) for name, child in obj._trackable_children(save_type, **kwargs).items()
        }

    @property
    def root(self) -> Any:
        root = self._root_ref()
        if root is None:
            raise ReferenceError("The root object of this view has been deleted.")
        return root

    def descendants(self) -> list:
        """Returns the root and all objects below it.

        Returns:
          A list, breadth first.
        """
        return self._descendants_with_paths()[0]

    def _descendants_with_paths(self) -> tuple[list, ObjectIdentityDictionary]:
        """The objects, and for each the shortest path to it, a tuple of references."""
        order, paths, _ = self._walk()
        return order, paths

    def _walk(self) -> tuple[list, ObjectIdentityDictionary, ObjectIdentityDictionary]:
        """The objects in breadth-first order, their paths, their children. Children are computed once."""
        order, paths, edges = [], ObjectIdentityDictionary([(self.root, ())]), ObjectIdentityDictionary()
        pending = collections.deque([self.root])
        while pending:
            obj = pending.popleft()
            order.append(obj)
            edges[obj] = self.children(obj)
            for name, child in edges[obj].items():
                if child not in paths:
                    paths[child] = (*paths[obj], TrackableReference(name, child))
                    pending.append(child)
        return order, paths, edges


def _reference(obj: Any) -> Callable[[], Any]:
    """A weak reference, or a function like one: tuples have no weak references."""
    try:
        return weakref.ref(obj)
    except TypeError:
        return lambda: obj


class ObjectGraphView(TrackableView):
    """A view whose root has further children, *attached* ones, that it does not know of itself."""

    def __init__(self, root: Any, attached_dependencies: list[TrackableReference] | None = None) -> None:
        super().__init__(root)
        self._attached_dependencies = attached_dependencies

    attached_dependencies = property(lambda self: self._attached_dependencies)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        root = copy.deepcopy(self.root, memo)
        return type(self)(root, copy.deepcopy(self._attached_dependencies, memo))

    def children(self, obj: Any, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> dict:  # type: ignore[override]
        children = TrackableView.children(obj, save_type, **kwargs)
        if obj is self.root and self._attached_dependencies:
            children.update({name: ref for name, ref in self._attached_dependencies})
        return children

    def list_children(self, obj: Any, save_type: str = SaveType.CHECKPOINT, **kwargs: Any) -> list[TrackableReference]:
        return [TrackableReference(*item) for item in self.children(obj, save_type, **kwargs).items()]

    def breadth_first_traversal(self) -> tuple[list, ObjectIdentityDictionary]:
        return self._descendants_with_paths()


# Last: the wrappers use the classes above, and `AutoTrackable` uses the wrappers.
from reflow.tracking import wrapping  # noqa: E402
