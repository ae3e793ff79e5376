"""Signatures: functions from named tensors to named tensors, through which a SavedModel is served.

`canonical` turns what the user passes (a function with an input signature, a concrete function, or a dictionary of
them) into one wrapper per name, whose arguments are keywords and whose result is a dictionary.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable
from typing import Any

from reflow.core import nest
from reflow.core.containers import ContainerView
from reflow.core.specs import TensorSpec, TypeSpec, VariableSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import Function
from reflow.function.signature_text import named_structure
from reflow.function.trace_key import Static
from reflow.graph.export import Names
from reflow.graph.func_graph import FuncGraph
from reflow.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from reflow.tracking.trackable import SaveType, Trackable

DEFAULT_ATTRIBUTE = "_default_save_signature"
ATTRIBUTE = "signatures"
INIT_OP = "__saved_model_init_op"


class SignatureMap(ContainerView, collections.abc.Mapping, Trackable):
    """The signatures of a loaded SavedModel, by name."""

    _object_identifier = "signature_map"

    def __init__(self, signatures=()):
        self._storage = dict(signatures)

    def __repr__(self):
        return f"_SignatureMap({self._storage})"

    def _add_trackable_child(self, name, value):
        self._storage[name] = value

    def _trackable_children(self, save_type=SaveType.CHECKPOINT, **kwargs) -> dict:
        return dict(self._storage) if save_type == SaveType.SAVEDMODEL else {}


def named_by_keys(specs):
    """Specs of results; those in a dictionary are named by their keys."""
    if not isinstance(specs, dict):
        return specs
    return {k: TensorSpec(s.shape, s.dtype, k) if type(s) is TensorSpec else s for k, s in specs.items()}


class NamedFunction(ConcreteFunction):
    """A concrete function whose flat arguments have names; the first `positional` may be given without."""

    def __init__(self, graph, structure, names, positional: int):
        super().__init__(graph, structure, tuple(names))
        self.flat_names = list(names)
        self.positional = positional

    @property
    def output_specs(self):
        """The results as specs; those of a signature, a dict, have their keys as names."""
        return named_by_keys(super().output_specs)

    @property
    def structured_outputs(self):
        return self.output_specs


# --- facts about concrete functions -----------------------------------------------------------------------------------


def plain_signature(concrete: ConcreteFunction):
    """The arguments a trace was made for, as (args, kwargs) of specs and Python values."""
    signature = concrete.graph.structured_input_signature
    if signature is None:
        return (tuple(TensorSpec(t.shape, t._dtype, t.op.name) for t in concrete.graph.arguments), {})
    return nest.map_structure(lambda x: x.value if type(x) is Static else x, signature)


def argument_names(concrete: ConcreteFunction) -> list[str]:
    """A unique name for each flat tensor argument: the spec's, or the parameter's."""
    if isinstance(concrete, NamedFunction):
        return list(concrete.flat_names)
    args, kwargs = plain_signature(concrete)
    parameters = concrete.argument_names
    names, out = Names(), []
    labelled = [(parameters[i] if i < len(parameters) else f"args_{i}", a) for i, a in enumerate(args)]
    for label, value in [*labelled, *sorted(kwargs.items())]:
        for leaf in nest.flatten(value, expand_composites=True):
            if isinstance(leaf, TypeSpec):
                out.append(names.unique(getattr(leaf, "name", None) or label))
    return out


def named_signature(concrete: ConcreteFunction):
    """`plain_signature`, with names in the TensorSpecs: those of the arguments, `x_key_0` below a structure `x`."""
    if not isinstance(concrete, NamedFunction) and concrete.graph.structured_input_signature is not None:
        return named_structure(concrete.graph.structured_input_signature, concrete.argument_names)
    names = iter(argument_names(concrete))

    def name(spec):
        if type(spec) is TensorSpec:
            return TensorSpec(spec.shape, spec.dtype, next(names))
        if isinstance(spec, TypeSpec):
            for _ in nest.flatten(spec, expand_composites=True):
                next(names)
        return spec

    return nest.map_structure(name, plain_signature(concrete))


def takes_variables(concrete: ConcreteFunction) -> bool:
    return any(isinstance(x, VariableSpec) for x in nest.flatten(plain_signature(concrete)))


def is_free(concrete: ConcreteFunction) -> bool:
    """Whether a trace captures values, or tensors of a plain graph.

    One made inside another function belongs to that function.
    """
    return all(isinstance(t, EagerTensor) or not t._graph.building_function for t in concrete._captured)


def concrete_functions(function) -> list[ConcreteFunction]:
    """The traces of a function that a SavedModel keeps.

    One with an input signature is traced now, unless it was loaded.
    """
    if isinstance(function, ConcreteFunction):
        return [function]
    if function.input_signature is not None and not hasattr(function, "concrete_functions"):
        return [function.saved_trace()]
    return [c for c in function._list_all_concrete_functions_for_serialization() if is_free(c)]


# --- signatures -------------------------------------------------------------------------------------------------------


def default_signature(children: dict):
    """The function to serve if the user names none: `_default_save_signature`, or the only one that can be served."""
    possible = []
    for name, child in children.items():
        if name == DEFAULT_ATTRIBUTE:
            return child
        concrete = _concrete(child)
        if concrete is not None and concrete.graph.outputs and not takes_variables(concrete) and _servable(concrete):
            possible.append(concrete)
    return possible[0] if len(possible) == 1 else None


def _servable(concrete) -> bool:
    try:
        _named_outputs(concrete.output_specs, "", "", lambda spec: isinstance(spec, TypeSpec))
    except ValueError:
        return False
    return True


def _concrete(function):
    if isinstance(function, Function) and function.input_signature is not None:
        return function.saved_trace()
    return function if isinstance(function, ConcreteFunction) else None


def canonical(signatures) -> dict[str, NamedFunction]:
    """Wrapped signatures by name."""
    if signatures is None:
        return {}
    if not isinstance(signatures, collections.abc.Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    out = {}
    for key, function in signatures.items():
        if key == INIT_OP:
            raise KeyError(f"The signature key {key!r} is reserved for internal SavedModel use.")
        concrete = _concrete(function)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
                "`tf.functions` with an input signature or concrete functions can be used as a signature."
            )
        if takes_variables(concrete):
            raise ValueError(
                f"Unable to serialize concrete_function '{concrete.function_name}'with tf.Variable input. Functions "
                "that expect tf.Variable inputs cannot be exported as signatures."
            )
        out[key] = _wrap(concrete, key)
    return out


def _wrap(concrete: ConcreteFunction, key: str) -> NamedFunction:
    """The same function of keywords. Its inputs are in the order of their names, in which readers flatten keywords."""
    names = argument_names(concrete)
    graph = FuncGraph(f"signature_wrapper_{concrete.graph.name.removeprefix('signature_wrapper_')}")
    given = dict(zip(names, concrete.graph.arguments, strict=True))
    with graph.as_default():
        inputs = {name: graph.add_input(given[name]._dtype, given[name]._dims, name) for name in sorted(names)}
        outputs = concrete.call_flat([inputs[name] for name in names])
        graph.set_outputs(_named_outputs(outputs, concrete.function_name, key, _made_of_tensors))
    specs = {name: TensorSpec(t.shape, t._dtype, name) for name, t in inputs.items()}
    graph.structured_input_signature = ((), specs)  # type: ignore[assignment]
    return NamedFunction(graph, ((), specs), list(inputs), int(len(inputs) == 1))


def _made_of_tensors(value) -> bool:
    return isinstance(value, Tensor) or getattr(value, "_is_composite", False) is True


def _named_outputs(outputs, function_name: str, key: str, allowed: Callable[[Any], bool]) -> dict:
    if not isinstance(outputs, collections.abc.Mapping):
        if hasattr(outputs, "_asdict"):
            outputs = outputs._asdict()
        else:
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            outputs = {f"output_{i}": output for i, output in enumerate(outputs)}
    for name, value in outputs.items():
        if not isinstance(name, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {name!r} in the output of the function {function_name} used "
                f"to generate the SavedModel signature {key!r}."
            )
        if not allowed(value):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {name!r} in the output of the function {function_name} used "
                f"to generate the SavedModel signature {key!r}. Outputs for functions used as signatures must be a "
                "single Tensor, a sequence of Tensors, or a dictionary from string to Tensor."
            )
    return dict(outputs)
