"""`tensorflow.python.framework.op_def_library`: any op by its name, with arguments checked against its definition."""

from __future__ import annotations

from typing import Any

from reflow.api.raw_ops import function_of
from reflow.core import dtypes, nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import TensorBase
from reflow.core.types import Proto
from reflow.drop_in.python.framework import op_def_registry
from reflow.graph.func_graph import FuncGraph
from reflow.graph.graph import Graph
from reflow.ops.convert import convert_to_tensor


def apply_op(op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
    """Run an op, or add it to the graph: inputs and attributes by name.

    All attributes are given that do not follow from inputs; None stands for the default.

    Raises:
        RuntimeError: there is no such op.
        TypeError: an argument is missing, too much, or of another type.
        ValueError: a list has another length.
    """
    definition = op_def_registry.get(op_type_name)
    if definition is None:
        raise RuntimeError(f"Unrecognized Op name {op_type_name}")
    call = _Arguments(op_type_name, definition, dict(keywords))
    return function_of(op_type_name)(**call.checked(), name=name)


class _Arguments:
    """The arguments of one call, and what inputs say about attributes."""

    def __init__(self, op: str, definition: Proto, given: dict[str, Any]) -> None:
        self.op, self.definition, self.given = op, definition, given
        self.attrs: dict[str, Any] = {}  # those that follow from inputs: a dtype, a list of them, or a length
        self.source: dict[str, str] = {}  # from which input

    def checked(self) -> dict[str, Any]:
        """The arguments for the function of the op."""
        found = {}
        for arg in self.definition.input_arg:
            key = next((key for key in (arg.name, f"{arg.name}_") if key in self.given), None)
            if key is None:
                raise TypeError(f"No argument for input {arg.name} found in {self.definition}")
            found[arg.name] = value = self.given.pop(key)
            if arg.number_attr or arg.type_list_attr:
                self._check_list(arg, key, value)
            else:
                self._check_one(arg, key, value)
        for attr in self.definition.attr:
            key = next((key for key in (attr.name, f"{attr.name}_") if key in self.given), None)
            if attr.name in self.attrs:
                if key is not None:
                    raise TypeError(f"Should not specify value for inferred attr '{attr.name}' for {self.op}.")
            elif key is not None:
                value = self.given.pop(key)
                if value is not None or not attr.HasField("default_value"):
                    found[attr.name] = _checked_attr(attr, value)
            elif not (attr.type == "type" and attr.HasField("default_value")):
                raise TypeError(f"No argument found for attr {attr.name} for {self.op}")
        if self.given:
            raise TypeError(f"{self.op} got unexpected keyword arguments: {', '.join(sorted(self.given))}.")
        return found

    def _check_one(self, arg: Any, key: str, value: Any) -> None:
        wanted = dtypes.as_dtype(arg.type) if arg.type else self.attrs.get(arg.type_attr)
        found = self._kind(arg, key, value, wanted)
        if arg.type_attr and found is not None and arg.type_attr not in self.attrs:
            self.attrs[arg.type_attr], self.source[arg.type_attr] = found, key

    def _kind(self, arg: Any, key: str, value: Any, wanted: dtypes.DType | None) -> dtypes.DType | None:
        """The dtype of an input; None if that cannot be said before the tensors in it are packed."""
        if isinstance(value, TensorBase):
            kind = value.dtype.base_dtype
            if wanted is not None and kind != wanted:
                raise TypeError(self._mismatch(arg, key, kind, wanted))
            return kind
        if any(isinstance(part, TensorBase) for part in nest.flatten(value)):
            return wanted
        try:
            return _converted(value, wanted)
        except TypeError as error:
            if wanted is None:
                raise
            raise TypeError(
                f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{self.op}', got {value!r} of type "
                f"'{type(value).__name__}' instead. Error: {error}"
            ) from error
        except ValueError:
            try:
                kind = _converted(value, None)
            except ValueError as error:
                raise ValueError(f"Tried to convert '{key}' to a tensor and failed. Error: {error}") from error
            assert wanted is not None
            raise TypeError(self._mismatch(arg, key, kind, wanted)) from None

    def _mismatch(self, arg: Any, key: str, kind: dtypes.DType, wanted: dtypes.DType) -> str:
        text = f"Input '{key}' of '{self.op}' Op has type {kind.name} that does not match"
        if arg.type:
            return f"{text} expected type of {wanted.name}."
        return f"{text} type {wanted.name} of argument '{self.source[arg.type_attr]}'."

    def _check_list(self, arg: Any, key: str, values: Any) -> None:
        if not isinstance(values, (list, tuple)):
            raise TypeError(f"Expected list for '{key}' argument to '{self.op}' Op, not {values}.")
        kinds = self._kinds(arg, key, values)
        if arg.type_list_attr:
            self._check_kinds(arg, key, kinds)
            return
        number = arg.number_attr
        if number in self.attrs and len(values) != self.attrs[number]:
            raise ValueError(
                f"List argument '{key}' to '{self.op}' Op with length {len(values)} must match length "
                f"{self.attrs[number]} of argument '{self.source[number]}'."
            )
        self.attrs.setdefault(number, len(values))
        self.source.setdefault(number, key)
        least = next(attr for attr in self.definition.attr if attr.name == number)
        if least.has_minimum and len(values) < least.minimum:
            raise ValueError(
                f"List argument '{key}' to '{self.op}' Op with length {len(values)} shorter than minimum length "
                f"{least.minimum}."
            )
        if arg.type_attr and kinds and arg.type_attr not in self.attrs:
            self.attrs[arg.type_attr], self.source[arg.type_attr] = kinds[0], key

    def _check_kinds(self, arg: Any, key: str, kinds: list) -> None:
        known = self.attrs.setdefault(arg.type_list_attr, kinds)
        if known != kinds:
            have, want = (", ".join(kind.name for kind in some) for some in (kinds, known))
            raise TypeError(
                f"Input '{key}' of '{self.op}' Op has type list of {have} that does not match type list {want} of "
                f"argument '{self.source[arg.type_list_attr]}'."
            )
        self.source.setdefault(arg.type_list_attr, key)

    def _kinds(self, arg: Any, key: str, values: Any) -> list:
        """The dtypes of a list: of one dtype, unless each may have its own."""
        wanted = dtypes.as_dtype(arg.type) if arg.type else self.attrs.get(arg.type_attr) if arg.type_attr else None
        tensors = [value.dtype.base_dtype for value in values if isinstance(value, TensorBase)]
        if wanted is None and arg.number_attr and tensors:
            wanted = tensors[0]
        kinds, fits = [], True
        for value in values:
            try:
                kind = value.dtype.base_dtype if isinstance(value, TensorBase) else _converted(value, wanted)
            except (TypeError, ValueError):
                kind, fits = None, False
            fits = fits and (wanted is None or kind == wanted)
            kinds.append(kind)
        if fits and (not arg.number_attr or len(set(kinds)) <= 1):
            return kinds
        seen = ", ".join(map(_observed, values))
        text = f"Tensors in list passed to '{key}' of '{self.op}' Op have types [{seen}]"
        if not arg.number_attr:
            raise TypeError(f"{text} that are invalid. Tensors: {values}")
        if arg.type:
            raise TypeError(f"{text} that do not match expected type {dtypes.as_dtype(arg.type).name}.")
        if arg.type_attr in self.attrs:
            kind = self.attrs[arg.type_attr].name
            raise TypeError(f"{text} that do not match type {kind} inferred from earlier arguments.")
        raise TypeError(f"{text} that don't all match.")


def _checked_attr(attr: Any, value: Any) -> Any:
    """The value of an attribute, unless it is of another kind. What its range is, the op's function checks."""
    kind, name = attr.type, attr.name
    if kind.startswith("list(") and not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for attr {name}, obtained {type(value).__name__} instead.")
    for one in value if kind.startswith("list(") else [value]:
        if "type" in kind and not _is_dtype(one):
            raise TypeError(f"Expected DataType for argument '{name}' not {one!r}.")
        if "func" in kind and not (isinstance(one, (str, FuncGraph)) or hasattr(one, "graph")):
            raise TypeError(f"Don't know how to convert {one} to a func for argument {name}")
        if "shape" in kind and one is not None:
            try:
                TensorShape(one)
            except (TypeError, ValueError) as error:
                shown = f"Error converting {one!r} (arg name = {name}) to a TensorShape: {error}"
                raise type(error)(shown) from error
    return value


def _is_dtype(value: Any) -> bool:
    try:
        return dtypes.as_dtype(value) is not None
    except TypeError:
        return False


def _converted(value: Any, dtype: dtypes.DType | None) -> dtypes.DType:
    """The dtype that a value has as a tensor; no node of any graph is made."""
    with Graph().as_default():
        return convert_to_tensor(value, dtype).dtype.base_dtype


def _observed(value: Any) -> str:
    if isinstance(value, TensorBase):
        return value.dtype.base_dtype.name
    try:
        return _converted(value, None).name
    except (TypeError, ValueError):
        return "<NOT CONVERTIBLE TO TENSOR>"
