"""`tensorflow.python.ops.control_flow_ops`: a tensor behind other ops, and the nodes of version 1's control flow."""

import contextlib
from typing import NamedTuple

from reflow.api.array.arrange import identity
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.behavior import colocate_with
from reflow.core import nest
from reflow.core.context import state
from reflow.core.name_scope import name_scope as scope
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


def with_dependencies(dependencies, output_tensor, name=None):
    """A tensor that is there only after other ops have run, on the device of the one it is made from.

    In eager code they have.
    """
    if state.graph is None:
        return output_tensor
    with colocate_with(output_tensor), control_dependencies(dependencies):
        return identity(output_tensor, name)


def _Identity(tensor, name=None):
    """A tensor, or each tensor of a composite one, as a new tensor."""
    return nest.map_structure(lambda t: identity(t, name), tensor, expand_composites=True)


def _named(name):
    """A scope for nodes, if it has a name."""
    return scope(name) if name else contextlib.nullcontext()


def _each(function, tensor):
    """A function of each tensor of a composite one."""
    return nest.map_structure(lambda t: function(convert_to_tensor(t)), tensor, expand_composites=True)


def _Enter(
    tensor, frame_name, is_constant=False, parallel_iterations=10, use_ref=True, use_input_shape=True, name=None
):
    """A tensor inside a frame: the iterations of a loop."""

    def enter(data):
        inside = run(
            "Enter", data, frame_name=frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations
        )
        if use_input_shape:
            inside.set_shape(data.shape)
        return inside

    with _named(name):
        return _each(enter, tensor)


def exit(tensor, name=None):
    """A tensor of a frame, outside of it."""
    with _named(name):
        return _each(lambda data: run("Exit", data), tensor)


def _NextIteration(tensor, name=None):
    """A tensor in the next iteration of a loop."""
    with _named(name):
        return _each(lambda data: run("NextIteration", data), tensor)


def switch(data, pred, dtype=None, name=None):
    """(result if false, result if true): `data` is the one that `pred` chooses, and the other is not there;
    in eager code it is empty."""
    pred = convert_to_tensor(pred)
    with _named(name):
        if not getattr(data, "_is_composite", False):
            return tuple(run("Switch", convert_to_tensor(data, dtype), pred))
        pairs = [run("Switch", part, pred) for part in nest.flatten(data, expand_composites=True)]
        return tuple(nest.pack_sequence_as(data, [pair[i] for pair in pairs], expand_composites=True) for i in (0, 1))


def merge(inputs, name=None):
    """(the input that is there, its position)."""
    if any(x is None for x in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    with _named(name):
        first = inputs[0]
        if not getattr(first, "_is_composite", False):
            return _Merged(*run("Merge", *[convert_to_tensor(x) for x in inputs]))
        for x in inputs:
            if type(x) is not type(first):
                raise TypeError(f"Type {type(x)} not supported")
        columns = zip(*[nest.flatten(x, expand_composites=True) for x in inputs], strict=True)
        parts = [run("Merge", *column) for column in columns]
        return _Merged(nest.pack_sequence_as(first, [value for value, _ in parts], expand_composites=True), parts[0][1])


class _Merged(NamedTuple):
    output: object
    value_index: object
