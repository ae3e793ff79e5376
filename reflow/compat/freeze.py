"""Freezing: converts a graph's variables to constants, for files and other runtimes.

`convert_variables_to_constants_v2` takes a concrete function: calls are inlined, and reads of variables become their
current values, also in branches and loops, which stay `If` and `While` nodes. `convert_variables_to_constants`
(`tf.compat.v1.graph_util`) takes a GraphDef and the session that holds the variables.
"""

from __future__ import annotations

import numpy as np

from reflow.api.export import export
from reflow.compat.wrapped import WrappedFunction
from reflow.core import dtypes
from reflow.core.resources import Handle
from reflow.core.specs import TensorSpec
from reflow.graph.clone import copy_nodes, graphs_in
from reflow.graph.func_graph import PLACEHOLDER, FuncGraph, input_like
from reflow.graph.proto_values import encode_tensor
from reflow.ops import registry
from reflow.ops.kernels.array.shaping import const, identity
from reflow.ops.kernels.control.printing import check_numerics
from reflow.ops.kernels.control.state import read_variable, resource_gather, var_handle

# --- functions --------------------------------------------------------------------------------------------------------


@export("__internal__.freeze.convert_variables_to_constants_v2")
def convert_variables_to_constants_v2(func, lower_control_flow=True, aggressive_inlining=False):
    """A concrete function with the values of its variables as constants; it takes and returns flat tensors.

    Control flow keeps its form, and all calls are inlined, whatever the last two arguments say: the function computes
    the same.

    >>> v = tf.Variable(2.0)
    >>> frozen = convert_variables_to_constants_v2(
    ...     tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([]))
    ... )
    >>> _ = v.assign(9.0)
    >>> float(frozen(tf.constant(3.0))[0]), frozen.captured_inputs
    (6.0, [])
    """
    graph = func.graph
    frozen = FuncGraph(graph.name)
    frozen.parent = None
    tensors: dict = {}
    values: dict = {}
    for tensor in graph.arguments:
        tensors[tensor._id] = input_like(frozen, tensor, tensor.op.name)
    for outer, inner in graph.captures:
        value = outer._value
        if isinstance(value, Handle):
            values[inner._id] = (value.read(), value.dtype, inner.op.name)
        elif isinstance(value, np.ndarray) or hasattr(value, "__array__"):
            tensors[inner._id] = _constant(frozen, np.asarray(value), outer._dtype, inner.op.name)
        else:
            tensors[inner._id] = frozen.add_capture(outer)
    with frozen.as_default():
        _copy(graph, frozen, tensors, values, "")
    frozen.set_outputs([tensors[t._id] for t in graph.outputs])
    frozen.structured_input_signature = (
        tuple(TensorSpec(t.shape, t.dtype, t.op.name) for t in frozen.arguments),
        {},
    )
    return WrappedFunction(frozen)


@export("__internal__.freeze.convert_variables_to_constants_v2_as_graph")
def convert_variables_to_constants_v2_as_graph(func, lower_control_flow=True, aggressive_inlining=False):
    """What `convert_variables_to_constants_v2` gives, and its GraphDef.

    >>> v = tf.Variable(2.0)
    >>> concrete = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], name="x"))
    >>> _, graph_def = convert_variables_to_constants_v2_as_graph(concrete)
    >>> "ReadVariableOp" in {node.op for node in graph_def.node}
    False
    """
    frozen = convert_variables_to_constants_v2(func, lower_control_flow, aggressive_inlining)
    return frozen, frozen.graph.as_graph_def()


def _constant(graph, value, dtype, name):
    with graph.as_default(), graph.below(""), graph.name_scope_for(name):
        return graph.add(const, (), {"value": np.asarray(value), "dtype": dtype})


def _copy(graph, into, tensors: dict, values: dict, prefix: str):
    """Add a graph's nodes to another.

    `tensors` are those of its inputs there; `values` what is known of variables, by their handles.
    """
    for node in graph.nodes:
        if node.record is PLACEHOLDER:
            continue
        name = prefix + node.name
        known = [t._id in values for t in node.inputs]
        if node.record.flow == "call":
            _inline(node, into, tensors, values, name)
        elif not any(known):
            copy_nodes([node], into, tensors)
            into.nodes[-1]._label = ("", name)
        elif graphs_in(node.attrs):
            _control_flow(node, into, tensors, values, name)
        else:
            tensors[node.outputs[0]._id] = _read(node, into, tensors, values, name)


def _read(node, into, tensors, values, name):
    """What an op on a variable gives."""
    value, dtype, label = values[node.inputs[0]._id]
    if node.record.from_shapes:
        return _constant(into, np.array(value.shape, node.attrs["out_type"].np_dtype), node.attrs["out_type"], name)
    if node.record not in (read_variable, resource_gather):
        raise ValueError(f"Cannot make a constant of a variable that {name} ({node.type}) changes or passes on.")
    table = _constant(into, value, dtype, label)
    with into.below(""), into.name_scope_for(name):
        if node.record is read_variable:
            return into.add(identity, (table,), {})
        axis = _constant(into, np.int32(node.attrs.get("batch_dims", 0)), dtypes.int32, f"{name}/axis")
        attrs = {"batch_dims": node.attrs.get("batch_dims", 0)}
        return into.add(registry.get("GatherV2"), (table, tensors[node.inputs[1]._id], axis), attrs)


def _inline(node, into, tensors, values, name):
    callee = node.attrs["f"]
    inner, inner_values = _inputs_of(callee, node.inputs, tensors, values)
    _copy(callee, into, inner, inner_values, f"{name}/")
    for outer, result in zip(node.outputs, callee.outputs, strict=True):
        if result._id in inner_values:
            values[outer._id] = inner_values[result._id]
        else:
            tensors[outer._id] = inner[result._id]


def _inputs_of(graph, given, tensors, values):
    inner, inner_values = {}, {}
    for own, outer in zip(graph.inputs, given, strict=True):
        if outer._id in values:
            inner_values[own._id] = values[outer._id]
        else:
            inner[own._id] = tensors[outer._id]
    return inner, inner_values


def _control_flow(node, into, tensors, values, name):
    """A branch or loop whose bodies read variables: they are no longer inputs.

    A loop forwards them between iterations.
    """
    loop = node.record.flow == "loop"
    given = node.inputs if loop else node.inputs[1:]
    gone = [i for i, t in enumerate(given) if t._id in values]

    def body(graph):
        copy = FuncGraph(graph.name)
        inner, inner_values = {}, {}
        for own, outer in zip(graph.inputs, given, strict=True):
            if outer._id in values:
                inner_values[own._id] = values[outer._id]
            else:
                inner[own._id] = input_like(copy, own, own.op.name)
        with copy.as_default():
            _copy(graph, copy, inner, inner_values, "")
            copy.set_outputs([inner[t._id] for t in graph.outputs if t._id not in inner_values])
        return copy

    attrs = {k: _replaced(v, body) for k, v in node.attrs.items() if k not in ("T", "Tin")}
    if loop and attrs.get("output_shapes"):
        attrs["output_shapes"] = [s for i, s in enumerate(attrs["output_shapes"]) if i not in gone]
    inputs = [tensors[t._id] for t in node.inputs if t._id not in values]
    with into.below(""), into.name_scope_for(name):
        out = into.add(node.record, inputs, attrs)
    results = iter(out if isinstance(out, list) else [out])
    for i, old in enumerate(node.outputs):
        if loop and i in gone:
            values[old._id] = values[given[i]._id]
        else:
            tensors[old._id] = next(results)


def _replaced(value, body):
    if isinstance(value, FuncGraph):
        return body(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], FuncGraph):
        return [body(g) for g in value]
    return value


# --- GraphDefs --------------------------------------------------------------------------------------------------------


@export("compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def, dest_nodes):
    """The part of a GraphDef on which some nodes depend, those included.

    >>> with tf.Graph().as_default() as g:
    ...     x = tf.constant(1.0, name="x")
    ...     y, z = tf.identity(x, name="y"), tf.identity(x, name="z")
    >>> [n.name for n in extract_sub_graph(g.as_graph_def(), ["y"]).node]
    ['x', 'y']
    """
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    by_name = {n.name: n for n in graph_def.node}
    for name in dest_nodes:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    needed: set = set()
    pending = list(dest_nodes)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending.extend(_source(reference) for reference in by_name[name].input)
    out = type(graph_def)()
    out.node.extend(n for n in graph_def.node if n.name in needed)
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out


def _source(reference: str) -> str:
    return reference.removeprefix("^").split(":")[0]


@export("compat.v1.graph_util.remove_training_nodes")
def remove_training_nodes(input_graph, protected_nodes=None):
    """A GraphDef without `CheckNumerics` and, where nothing waits for them or is placed beside them, `Identity` nodes;
    what used them uses their inputs.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    ...     y = tf.negative(tf.identity(x), name="y")
    >>> [node.name for node in tf.compat.v1.graph_util.remove_training_nodes(graph.as_graph_def()).node]
    ['x', 'y']
    """
    protected = set(protected_nodes or ())
    checks = {n.name for n in input_graph.node if n.op == check_numerics.name and n.name not in protected}
    inputs = {
        n.name: [r for r in n.input if not (r.startswith("^") and _source(r) in checks)] for n in input_graph.node
    }
    needed = {_source(r) for references in inputs.values() for r in references if r.startswith("^")}
    for node in input_graph.node:
        if "_class" in node.attr:
            needed.update(c.decode().removeprefix("loc:@") for c in node.attr["_class"].list.s)
    instead = {name: inputs[name][0] for name in checks}
    for node in input_graph.node:
        plain = node.op == identity.name and len(inputs[node.name]) == 1
        if plain and node.name not in protected | needed:
            instead[node.name] = inputs[node.name][0]
    out = type(input_graph)()
    out.library.CopyFrom(input_graph.library)
    out.versions.CopyFrom(input_graph.versions)
    for node in input_graph.node:
        if node.name not in instead:
            copy = out.node.add()
            copy.CopyFrom(node)
            del copy.input[:]
            copy.input.extend(_followed(r, instead) for r in inputs[node.name])
    return out


def _followed(reference: str, instead: dict) -> str:
    while reference.removesuffix(":0") in instead:
        reference = instead[reference.removesuffix(":0")]
    return reference


@export("compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None
):
    """What some nodes of a GraphDef depend on, with the variables of a session as constants.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     y = tf.identity(tf.Variable(3.0, name="v"), name="y")
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     frozen = convert_variables_to_constants(session, session.graph.as_graph_def(), ["y"])
    >>> [(n.name, n.op) for n in frozen.node]
    [('v', 'Const'), ('y/ReadVariableOp', 'Identity'), ('y', 'Identity')]
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    kept = set(variable_names_blacklist or ())
    handles = {n.name: n for n in part.node if n.op == var_handle.name and n.name not in kept}
    if variable_names_whitelist is not None:
        handles = {name: n for name, n in handles.items() if name in variable_names_whitelist}
    arrays = dict(zip(handles, sess.run([f"{name}:0" for name in handles]) if handles else [], strict=True))
    out = type(part)()
    out.library.CopyFrom(part.library)
    out.versions.CopyFrom(part.versions)
    for node in part.node:
        _frozen_node(node, out, arrays)
    return out


def _frozen_node(node, out, arrays):
    """A node with variables as constants: the handle is the value, a read passes it on."""
    copy = out.node.add()
    copy.CopyFrom(node)
    if node.name in arrays:
        kind = node.attr["dtype"]
        copy.op = const.name
        copy.attr.clear()
        copy.attr["dtype"].CopyFrom(kind)
        copy.attr["value"].tensor.CopyFrom(encode_tensor(np.asarray(arrays[node.name])))
        return
    if not any(_source(r) in arrays for r in node.input):
        return
    if node.op == read_variable.name:
        copy.op = identity.name
        copy.attr.clear()
        copy.attr["T"].CopyFrom(node.attr["dtype"])
    elif node.op == resource_gather.name:
        axis = out.node.add(name=f"{node.name}/axis", op=const.name)
        axis.attr["dtype"].type = dtypes.int32.enum
        axis.attr["value"].tensor.CopyFrom(encode_tensor(np.int32(0)))
        copy.op = "GatherV2"
        copy.attr.clear()
        copy.attr["Tparams"].CopyFrom(node.attr["dtype"])
        copy.attr["Tindices"].CopyFrom(node.attr["Tindices"])
        copy.attr["Taxis"].type = dtypes.int32.enum
        copy.input.append(axis.name)
    else:
        raise ValueError(f"Cannot find the variable that is an input of {node.name} ({node.op}) that is no read of it.")


@export("compat.v1.graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of the tensor that an input of a `NodeDef` names, "node" or "node:1".

    >>> with tf.Graph().as_default() as graph:
    ...     _ = tf.zeros([2, 3], name="x")
    >>> tf.compat.v1.graph_util.tensor_shape_from_node_def_name(graph, "x")
    TensorShape([2, 3])
    """
    return graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").get_shape()
