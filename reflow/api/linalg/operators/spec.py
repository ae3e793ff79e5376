"""The type spec of a linear operator: how functions, loops and files flatten and rebuild one.

An operator is rebuilt from its constructor arguments. Those that hold tensors, variables or other operators are its
*components*; the others (hints, dtypes, format names) are kept in the spec. A known size is not a component: inside a
function it stays a number, so that shapes stay static.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.api.array.arrange import get_static_value
from reflow.api.framework.internal import register_type_spec
from reflow.api.linalg.operators.hints import Hints
from reflow.core import nest
from reflow.core.properties import read_only
from reflow.core.shapes import TensorShape
from reflow.core.specs import TypeSpec, type_spec_from_value
from reflow.core.tensor import TensorBase
from reflow.eager.variables import Variable

_MISSING = object()


class LinearOperatorSpec(TypeSpec):
    """Specs of the components by the arguments' names, the other arguments, and those that stay static."""

    __slots__ = ("_param_specs", "_non_tensor_params", "_prefer_static_fields")

    def __init__(self, param_specs: dict, non_tensor_params: dict, prefer_static_fields: tuple = ()):
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = prefer_static_fields

    @classmethod
    def from_operator(cls, operator) -> LinearOperatorSpec:
        """The spec of an operator."""
        param_specs, others = {}, {}
        for name, value in arguments_of(operator).items():
            spec = _specs_in(value)
            found = [isinstance(leaf, TypeSpec) for leaf in nest.flatten(spec)]
            if found and all(found):
                param_specs[name] = spec
            elif not any(found):
                others[name] = value
            else:
                raise NotImplementedError(f"Field {name} contains a mix of `Tensor` and non-`Tensor` values.")
        return cls(param_specs, others, tuple(operator._composite_tensor_prefer_static_fields))

    def _serialize(self) -> tuple:
        return (self._param_specs, self._non_tensor_params, self._prefer_static_fields)

    _component_specs = read_only("_param_specs")

    def _to_components(self, value):
        arguments = arguments_of(value)
        return {name: arguments[name] for name in self._param_specs}

    def _from_components(self, components):
        return self.value_type(**self._non_tensor_params, **components)

    def _batch(self, batch_size):
        return self._with(lambda spec: spec._batch(batch_size))

    def _unbatch(self):
        return self._with(lambda spec: spec._unbatch())

    def _with(self, change):
        return type(self)(
            nest.map_structure(change, self._param_specs), self._non_tensor_params, self._prefer_static_fields
        )


def _specs_in(value: Any) -> Any:
    """A structure with specs in the place of tensors, variables and operators."""
    if isinstance(value, (list, tuple)):
        return [_specs_in(item) for item in value]
    if isinstance(value, (TensorBase, Variable)) or getattr(value, "_is_composite", False):
        return type_spec_from_value(value)
    return value


def arguments_of(operator) -> dict:
    """The arguments of the constructor that make an operator what it is."""
    names = dict.fromkeys((*operator._composite_tensor_fields, *Hints._fields))
    return {name: _argument(operator, name) for name in names}


def _argument(operator, name: str):
    """The value of an argument: an attribute of that name, perhaps after an underscore, or what the constructor got."""
    for place in (name, f"_{name}"):
        value = getattr(operator, place, _MISSING)
        if value is not _MISSING:
            break
    else:
        if name not in operator.parameters:
            raise ValueError(f"Could not determine an appropriate value for field `{name}` in object `{operator}`.")
        value = operator.parameters[name]
    if isinstance(value, TensorShape):
        return value.as_list() if value.is_fully_defined() else operator.parameters[name]
    if name in operator._composite_tensor_prefer_static_fields and isinstance(value, TensorBase):
        known = get_static_value(value)
        value = value if known is None else known
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """A decorator of operators: gives the class its spec, under which files know it."""
    spec = type(f"{cls.__name__}Spec", (LinearOperatorSpec,), {"value_type": cls, "__slots__": ()})
    register_type_spec(f"{module_name}.{cls.__name__}Spec")(spec)
    cls._type_spec = property(spec.from_operator)  # type: ignore[attr-defined]
    return cls
