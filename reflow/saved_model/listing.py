"""What a SavedModel contains, printed as TensorFlow's `saved_model_cli` prints it. Nothing of the model runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reflow.core.specs import TensorSpec
from reflow.io.kernels.files import read_file, write_file
from reflow.ops.kernels.control.printing import print_v2
from reflow.saved_model import structures

#: ops that reach outside of the process: what `scan` looks for by default
DENYLIST = frozenset(op.name for op in (print_v2, read_file, write_file))


def show_tag_sets(metas: Iterable[Any]) -> None:
    """The tags of each graph."""
    print("The given SavedModel contains the following tag-sets:")
    for tags in sorted(sorted(meta.meta_info_def.tags) for meta in metas):
        print(repr(", ".join(tags)))


def show_keys(meta: Any) -> None:
    """The names of a graph's signatures."""
    print("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
    for key in sorted(meta.signature_def):
        print(f'SignatureDef key: "{key}"')


def signature(meta: Any, key: str) -> Any:
    """A signature by its name; ValueError if there is none."""
    if key not in meta.signature_def:
        raise ValueError(
            f'Could not find signature "{key}". Please choose from: {", ".join(sorted(meta.signature_def))}'
        )
    return meta.signature_def[key]


def show_all(meta: Any) -> None:
    """The signatures, ops and functions of a graph."""
    tags = ", ".join(meta.meta_info_def.tags)
    print(f"\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:")
    for key in sorted(meta.signature_def):
        print(f"\nsignature_def['{key}']:")
        show_signature(meta.signature_def[key], "  ")
    print(ops_line(meta))


def show_signature(signature: Any, indent: str = "") -> None:
    """The inputs and outputs of a signature."""
    for kind, tensors in (("input", signature.inputs), ("output", signature.outputs)):
        print(f"{indent}The given SavedModel SignatureDef contains the following {kind}(s):")
        for key, info in sorted(tensors.items()):
            print(f"{indent}  {kind}s['{key}'] tensor_info:")
            for line in tensor_info(info):
                print(f"{indent}      {line}")
    print(f"{indent}Method name is: {signature.method_name}")


def tensor_info(info: Any) -> Iterator[str]:
    """The dtype, shape and name of a tensor, or of those of which a composite one is made."""
    if info.WhichOneof("encoding") == "composite_tensor":
        for part in info.composite_tensor.components:
            yield from tensor_info(part)
        return
    kind = info.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number.get(info.dtype)
    yield f"dtype: {kind.name if kind else info.dtype}"
    shape = info.tensor_shape
    sizes = ", ".join(str(dim.size) for dim in shape.dim)
    yield f"shape: {'unknown_rank' if shape.unknown_rank else f'({sizes})'}"
    yield f"name: {info.coo_sparse.values_tensor_name or info.name}"


def show_functions(graph: Any) -> None:
    """The functions of the model's object, and what arguments each has been traced for."""
    print("\nConcrete Functions:", end="")
    for child in sorted(graph.nodes[0].children, key=lambda c: c.local_name):
        node = graph.nodes[child.node_id]
        kind = node.WhichOneof("kind")
        if kind == "function":
            traces = sorted(node.function.concrete_functions)
        elif kind == "bare_concrete_function":
            traces = [node.bare_concrete_function.concrete_function_name]
        else:
            continue
        print(f"\n  Function Name: '{child.local_name}'")
        for number, name in enumerate(traces, 1):
            args, kwargs = structures.decode(graph.concrete_functions[name].canonicalized_input_signature)
            if args:
                print(f"    Option #{number}\n      Callable with:")
            _show_arguments(args, "Argument")
            _show_arguments(kwargs, "Named Argument")


def _show_arguments(values: Iterable[Any], title: str) -> None:
    """The arguments of a function: positional ones, or the names of others."""
    for i, value in enumerate(values, 1):
        print(f"        {title} #{i}")
        if isinstance(value, TensorSpec):
            lines = [f"{value.name}: {value!r}"]
        elif isinstance(value, str):
            lines = [value]
        else:
            lines = [f"DType: {type(value).__name__}", f"Value: {_shown(value)}"]
        for line in lines:
            print(f"          {line}")


def _shown(value: Any) -> str:
    """A value; after the last of several a comma is taken back, as on a terminal."""
    if isinstance(value, Mapping):
        return "{" + "".join(f"'{key}': {_quoted(part)}, " for key, part in value.items()) + "\b\b}"
    if isinstance(value, Iterable):
        return "[" + "".join(f"{_quoted(part)}, " for part in value) + "\b\b]"
    return str(value)


def _quoted(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def ops_of(meta: Any) -> set[str]:
    """The ops of a graph and of the functions in it."""
    inside = {node.op for function in meta.graph_def.library.function for node in function.node_def}
    return inside | {node.op for node in meta.graph_def.node}


def ops_line(meta: Any) -> str:
    """A line that names the ops of a graph."""
    return (
        f"The MetaGraph with tag set {list(meta.meta_info_def.tags)} contains the following ops: "
        f"{_named(ops_of(meta))}"
    )


def scan(meta: Any, denied: Iterable[str]) -> None:
    """The ops of a graph that are denied."""
    found, tags = ops_of(meta).intersection(denied), list(meta.meta_info_def.tags)
    if found:
        print(f"MetaGraph with tag set {tags} contains the following denylisted ops: {_named(found)}")
    else:
        print(f"MetaGraph with tag set {tags} does not contain the default denylisted ops: {_named(denied)}")


def _named(ops: Iterable[str]) -> str:
    return "{" + ", ".join(repr(op) for op in sorted(ops)) + "}"
