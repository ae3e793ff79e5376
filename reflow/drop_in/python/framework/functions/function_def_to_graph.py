"""`tensorflow.python.framework.function_def_to_graph`: FunctionDefs as graphs."""

from reflow.compat.behavior import get_default_graph
from reflow.core.resources import HandleFacts
from reflow.core.shapes import TensorShape
from reflow.graph.export import new_graph_def, output_places
from reflow.graph.func_graph import FuncGraph
from reflow.graph.import_ import import_graph
from reflow.graph.proto_values import decode_attr, decode_dtype, decode_shape
from reflow.ops import registry


def _library(graph):
    """The FunctionDefs of a graph by name."""
    graph = get_default_graph() if graph is None else graph
    return {function.signature.name: function for function in graph.as_graph_def().library.function}


def is_function(fname, graph):
    """Whether a graph has a function of that name."""
    return fname in _library(graph)


def get_function_def(fname, graph):
    """The FunctionDef of that name in a graph, or None."""
    return _library(graph).get(fname)


def _called(fdef):
    """The names of functions that a FunctionDef's nodes may call."""
    for node in fdef.node_def:
        yield node.op
        for value in node.attr.values():
            yield from (function.name for function in [value.func, *value.list.func] if function.name)


def copy_function_def_to_graph_def_recursively(func_name, graph_def, copied_functions, default_graph=None):
    """Add a function of a graph, and those that it calls, to a GraphDef.

    `copied_functions` is the set of those that are there.
    """
    library = _library(default_graph)
    pending = [func_name]
    while pending:
        name = pending.pop()
        if name in library and name not in copied_functions:
            copied_functions.add(name)
            graph_def.library.function.add().CopyFrom(library[name])
            pending.extend(_called(library[name]))


def _outputs(node, functions):
    """(name of the output, position in it) of each output of a NodeDef."""
    if node.op in functions:
        return [(arg.name, 0) for arg in functions[node.op].signature.output_arg]
    record = registry.get(node.op)
    sizes = {name for arg in record.definition.outputs for name in (arg.type_list_attr, arg.number_attr) if name}
    attrs = {name: decode_attr(record.definition.attrs[name].type, node.attr[name], None) for name in sizes}
    return output_places(record, attrs)


def function_def_to_graph_def(fdef, input_shapes=None, include_library_functions=False):
    """A FunctionDef as a GraphDef, in which placeholders are the arguments, and the names of tensors there by those in
    the function.

    Raises:
      ValueError: there are not as many `input_shapes` as arguments.
    """
    arguments = fdef.signature.input_arg
    if input_shapes is not None and len(input_shapes) != len(arguments):
        raise ValueError(
            "Length of `input_shapes` must match the number of `input_arg`s in `fdef`. "
            f"Got {len(input_shapes)} `input_shapes` and {len(arguments)} `input_arg`s."
        )
    names: dict[str, str] = {}
    made, functions = new_graph_def(), _library(None)
    for i, argument in enumerate(arguments):
        node = made.node.add(name=argument.name, op="Placeholder")
        node.attr["dtype"].type = argument.type
        shape = None if input_shapes is None else input_shapes[i]
        if shape is not None:
            node.attr["shape"].shape.CopyFrom(TensorShape(shape).as_proto())
        for key, value in fdef.arg_attr[i].attr.items() if i in fdef.arg_attr else ():
            if key == "_output_shapes" and input_shapes is None and value.list.shape:
                node.attr["shape"].shape.CopyFrom(value.list.shape[0])
            node.attr[key].CopyFrom(value)
        names |= {argument.name: f"{argument.name}:0", f"^{argument.name}": f"^{argument.name}"}
    for node in fdef.node_def:
        for number, (output, index) in enumerate(_outputs(node, functions)):
            names[f"{node.name}:{output}:{index}"] = f"{node.name}:{number}"
        names[f"^{node.name}"] = f"^{node.name}"
    for node in fdef.node_def:
        copied = made.node.add()
        copied.CopyFrom(node)
        del copied.input[:]
        copied.input.extend(names[name] for name in node.input)
    if include_library_functions:
        present: set = set()
        for name in dict.fromkeys(_called(fdef)):
            copy_function_def_to_graph_def_recursively(name, made, present)
    return made, names


def function_def_to_graph(
    fdef, structured_input_signature=None, structured_outputs=None, input_shapes=None, propagate_device_spec=False,
    include_library_functions=False,
):
    """A FunctionDef as a function graph with `inputs` and `outputs`; see `function_def_to_graph_def`.

    Its nodes are on the devices of the FunctionDef's only with `propagate_device_spec`. A call holds the function that
    it calls, so those of the default graph's library come along, whether or not `include_library_functions` asks for
    them.
    """
    graph = FuncGraph(fdef.signature.name)
    made, names = function_def_to_graph_def(fdef, input_shapes, include_library_functions=True)
    import_graph(made, graph)
    for node in fdef.node_def if propagate_device_spec else ():
        graph.get_operation_by_name(node.name)._set_device(node.device)
    graph.inputs = [graph.get_tensor_by_name(f"{argument.name}:0") for argument in fdef.signature.input_arg]
    graph.outputs = [graph.get_tensor_by_name(names[fdef.ret[argument.name]]) for argument in fdef.signature.output_arg]
    for tensor, argument in zip(graph.inputs, fdef.signature.input_arg, strict=True):
        if argument.handle_data:
            data = argument.handle_data[0]
            tensor._static = HandleFacts(decode_shape(data.shape), decode_dtype(data.dtype))
    graph.structured_input_signature, graph.structured_outputs = structured_input_signature, structured_outputs
    return graph
