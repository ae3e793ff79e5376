"""`tensorflow.python.framework.func_graph`: graphs of functions, traced by hand."""

import inspect

from reflow.core import nest
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.function.tracing import trace_to_graph
from reflow.graph.func_graph import FuncGraph as FuncGraph


def convert_structure_to_signature(structure, arg_names=None, signature_context=None):
    """Tensors of a structure as specs, composite ones as theirs; anything else stays."""

    def spec(x):
        return TensorSpec(x.shape, x.dtype) if isinstance(x, Tensor) else getattr(x, "_type_spec", x)

    return nest.map_structure(spec, structure)


def func_graph_from_py_func(
    name, python_func, args, kwargs, signature=None, func_graph=None, add_control_dependencies=True, arg_names=None,
    op_return_value=None, collections=None, capture_by_value=None, create_placeholders=True,
):  # fmt: skip
    """The graph of a Python function, traced for arguments like these, or for those of a signature."""
    if op_return_value is not None or capture_by_value or not create_placeholders:
        raise NotImplementedError(
            "Reflow traces functions with placeholders, captures by reference, and results that are tensors."
        )
    given = (signature, {}) if signature is not None else (args, kwargs)
    positional, named = (convert_structure_to_signature(x) for x in given)
    graph = FuncGraph(name) if func_graph is None else func_graph
    for key, values in (collections or {}).items():
        graph._collections[key] = values
    return trace_to_graph(python_func, name, tuple(positional), named, graph=graph, names=tuple(arg_names or ()))


def flatten(sequence):
    """The tensors of a structure, those of composite ones in their place."""
    return nest.flatten(sequence, expand_composites=True)


def pack_sequence_as(structure, flat_sequence):
    """The inverse of `flatten`."""
    return nest.pack_sequence_as(structure, flat_sequence, expand_composites=True)


def dismantle_func_graph(func_graph) -> None:
    """Take a graph's nodes apart so that its memory is free at once.

    Reflow's graphs are freed with their last reference.
    """


class UnknownArgument:
    """Stands for an argument that is no tensor."""


def has_mutation(n1, n2) -> bool:
    """Whether two structures differ, or hold different objects."""
    try:
        nest.assert_same_structure(n1, n2, expand_composites=True)
    except ValueError:
        return True
    return any(a is not b for a, b in zip(flatten(n1), flatten(n2), strict=True))


def check_func_mutation(old_args, old_kwargs, new_args, new_kwargs, func) -> None:
    """ValueError if a function has changed its arguments: the old ones are copies of before the call."""
    if not has_mutation((old_args, old_kwargs), (new_args, new_kwargs)):
        return
    signature = inspect.signature(func)
    rule = f"{getattr(func, '__qualname__', func)}{signature} should not modify its Python input arguments."
    try:
        old, new = (
            signature.bind(*args, **kwargs).arguments
            for args, kwargs in ((old_args, old_kwargs), (new_args, new_kwargs))
        )
    except TypeError as error:
        raise ValueError(
            f"{rule} Check if it modifies any lists or dicts passed as arguments. Modifying a copy is allowed."
        ) from error
    changed = ", ".join(name for name in new if has_mutation(old[name], new[name]))
    raise ValueError(f"{rule} Modifying a copy is allowed. The following parameter(s) were modified: {changed}")
