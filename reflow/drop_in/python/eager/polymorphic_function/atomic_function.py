"""`tensorflow.python.eager.polymorphic_function.atomic_function`: graph functions, also made from their definitions."""

from __future__ import annotations

import inspect
from typing import Any

from reflow.core import nest
from reflow.core.specs import TypeSpec
from reflow.function.atomic import AtomicFunction as AtomicFunction
from reflow.function.atomic import callees
from reflow.function.concrete import ConcreteFunction
from reflow.function.function_type import FunctionType
from reflow.function.signature_text import Constraint
from reflow.graph.import_ import Library


def from_function_def(function_def: Any, function_type: FunctionType) -> AtomicFunction:
    """The graph function that a FunctionDef defines; its type says in which structures arguments and results are."""
    name = function_def.signature.name
    graph = Library([function_def, *callees.get(name, ())]).load([name])[name]
    # the caller passes what they stand for
    for inner in graph.inputs[len(graph.inputs) - len(function_type.captures) :]:
        graph.captured[inner._id] = (inner, inner)
    parameters = list(function_type.parameters.values())
    given = {p.name: p.annotation.structure for p in parameters if isinstance(p.annotation, Constraint)}
    named = {p.name: given.pop(p.name) for p in parameters if p.kind is p.KEYWORD_ONLY}
    graph.structured_input_signature = tuple(given.values()), named
    specs = function_type._output
    count = sum(isinstance(s, TypeSpec) for s in nest.flatten(specs, expand_composites=True))
    graph.structured_outputs = nest.pack_sequence_as(specs, graph.outputs[:count], expand_composites=True)
    bare = inspect.Signature([p.replace(annotation=p.empty) for p in parameters])
    concrete = ConcreteFunction(graph, graph.structured_input_signature, tuple(given), bare)
    concrete._type = function_type
    return AtomicFunction(concrete)
