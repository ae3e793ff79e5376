"""Saveable objects: what a name-based checkpoint writes for a variable, a table or an iterator.

A `SaveableObject` has a name, a list of `SaveSpec`s (a tensor, its key in the checkpoint, which part of a partitioned
variable it is) and `restore`, which takes the tensors back. `saveables_of` creates them for whatever a program passes
to a `Saver`. Programs may define their own, and pass them to a Saver or return them from a
`_gather_saveables_for_checkpoint` method.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reflow.api.array.arrange import identity, reshape
from reflow.api.export import export
from reflow.core.context import state
from reflow.core.shapes import TensorShape
from reflow.eager.variables import Variable
from reflow.ops.dispatch import run
from reflow.tracking.trackable import Trackable, gathers_saveables, has_values
from reflow.train.object_graph import VARIABLE_VALUE


class SaveSpec:
    """A tensor to save: `tensor` may be a function that makes it, called when it is needed."""

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: str | None = None) -> None:
        if dtype is None and callable(tensor):
            raise AssertionError(
                f"When passing a callable `tensor` to SaveSpec, an explicit `dtype` must be provided. {name}"
            )
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype = tensor.dtype if dtype is None else dtype
        self.device = getattr(tensor, "device", device) if device is None else device

    @property
    def tensor(self) -> Any:
        return self._tensor() if callable(self._tensor) else self._tensor


class Callable(SaveSpec):
    """A tensor that a function makes whenever a checkpoint is written; `_serialize_to_tensors` may return such."""

    def __init__(self, tensor_callable: abc.Callable[[], Any], dtype: Any, device: str) -> None:
        super().__init__(tensor_callable, "", "", dtype, device)


class SaveableObject:
    """Base of what saves and restores itself: subclasses define `restore`."""

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op, self.specs, self.name = op, specs, name

    @property
    def optional_restore(self) -> bool:
        """Whether a checkpoint may lack it without an error."""
        return False

    @property
    def device(self) -> str:
        return self.specs[0].device or ""

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Take back the tensors, in the order of the specs; returns the operation that does it."""
        raise ValueError("Calling an abstract method.")


class VariableSaveable(SaveableObject):
    """A variable, or a part of a partitioned one."""

    def __init__(self, variable: Variable, slice_spec: str, name: str) -> None:
        self._variable = variable
        tensor = _value_of(variable)
        super().__init__(variable, [SaveSpec(tensor, slice_spec, name, variable.dtype, variable.device)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        (tensor,), variable = restored_tensors, self._variable
        if restored_shapes is not None:
            tensor = reshape(tensor, restored_shapes[0])
        if not variable.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {TensorShape(tensor.shape)} when attempting to restore "
                f"variable with shape {variable.shape} and name {variable.name}."
            )
        run("AssignVariableOp", variable.handle, identity(tensor), dtype=variable.dtype, validate_shape=True)
        return None if state.graph is None else state.graph.nodes[-1]


def _value_of(variable: Variable) -> Any:
    """In a graph the read that was made with the variable, which waits for nothing; else a function that reads it."""
    read = getattr(variable, "_read", None)
    return variable.value if read is None else read


class TrackableSaveable(SaveableObject):
    """A table or another object that gives and takes its tensors by name."""

    def __init__(self, obj: Any, name: str) -> None:
        self._tensors = obj._serialize_to_tensors()
        super().__init__(obj, [SaveSpec(t, "", f"{name}{_suffix(obj, key)}") for key, t in self._tensors.items()], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        named = dict(zip(self._tensors, restored_tensors, strict=True))
        done = self.op._restore_from_tensors(named)
        return done if done is not None or state.graph is None else state.graph.nodes[-1]


def _suffix(obj: Any, key: str) -> str:
    """What the tensor of that name adds to the object's: `-keys` and `-values` of a table."""
    return key if getattr(type(obj), "_LEGACY_SAVEABLE_NAME", None) or not key else f"/{key}"


# --- which ------------------------------------------------------------------------------------------------------------


def is_saveable(value: Any) -> bool:
    """Whether a `Saver` can save something."""
    return (
        isinstance(value, (Variable, SaveableObject))
        or gathers_saveables(value)
        or _is_partitioned(value)
        or _holds_values(value)
    )


def _holds_values(value: Any) -> bool:
    return isinstance(value, Trackable) and has_values(value)


def _is_partitioned(value: Any) -> bool:
    return hasattr(type(value), "_get_variable_list")


def name_of(value: Any) -> str:
    """The name under which a variable or object is saved if none is given."""
    if isinstance(value, Variable):
        info = getattr(value, "_save_slice_info", None)
        return info.full_name if info is not None else value._shared_name
    return value.name or value._name  # a table's node may have no name yet


def by_name(var_list: Iterable[Any]) -> dict[str, Any]:
    """What is to be saved by name; the parts of one partitioned variable, given one by one, are a list."""
    named: dict[str, Any] = {}
    values = list(_flat(var_list))
    for value in values:
        if not is_saveable(value):
            raise TypeError(f"Variable to save is not a Variable: {value}")
    for name, value in sorted(((name_of(value), value) for value in values), key=lambda pair: pair[0]):
        if getattr(value, "_save_slice_info", None) is not None and not _is_partitioned(value):
            named.setdefault(name, []).append(value)
        elif name in named:
            raise ValueError(f"At least two variables have the same name: {name}")
        else:
            named[name] = value
    return named


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, (list, tuple, set)):
        for value in values:
            yield from _flat(value)
    elif isinstance(values, Mapping):
        yield from _flat(list(values.values()))
    else:
        yield values


def saveables_of(value: Any, name: str) -> list[SaveableObject]:
    """The saveables of one thing to save, under a name."""
    if isinstance(value, SaveableObject):
        return [value]
    if _is_partitioned(value):
        value = value._get_variable_list()
    if isinstance(value, (list, tuple)):
        parts = [(part, part._save_slice_info) for part in value]
        if any(info is None for _, info in parts):
            raise ValueError(f"Slices must all be Variables with slice information: {name}")
        return [VariableSaveable(part, info.spec, name) for part, info in parts]
    if isinstance(value, Variable) and not gathers_saveables(value):
        return [VariableSaveable(value, "", name)]
    if gathers_saveables(value):
        factories = value._gather_saveables_for_checkpoint()
        return [s for f in factories.values() for s in _from_factory(f, name)]
    if _holds_values(value):
        return [TrackableSaveable(value, name)]
    raise TypeError(
        f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {value}"
    )


@export("__internal__.tracking.saveable_objects_from_trackable")
def saveable_objects_from_trackable(obj: Trackable) -> dict[str, abc.Callable[..., SaveableObject]]:
    """Functions that make the saveables of an object, by the names of its values; `{}` if it has none itself."""
    if gathers_saveables(obj):
        return obj._gather_saveables_for_checkpoint()
    if isinstance(obj, Variable):
        return {VARIABLE_VALUE: lambda name="", **_: VariableSaveable(obj, "", name)}
    return {obj._object_identifier: lambda name="", **_: TrackableSaveable(obj, name)} if _holds_values(obj) else {}


def _from_factory(factory: abc.Callable[..., Any] | Any, name: str) -> list[SaveableObject]:
    """What a factory makes: a saveable, or something else that can be saved."""
    made = factory(name=name) if callable(factory) else factory
    return saveables_of(made, name)


def all_saveables(named: Mapping[str, Any]) -> list[SaveableObject]:
    """The saveables of everything, in the order of their names. ValueError for duplicates."""
    found, seen = [], set()
    for name, value in sorted(named.items()):
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
        for saveable in saveables_of(value, name):
            if id(saveable.op) in seen:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            seen.add(id(saveable.op))
            found.append(saveable)
    return found
