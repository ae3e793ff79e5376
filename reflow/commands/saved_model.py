"""`reflow saved-model show|run|scan|freeze`: inspects and calls a SavedModel. Options and output are those of
`saved_model_cli`.

`freeze` writes a signature as one GraphDef file with its variables as constants. `scan` names ops that a cautious
server would reject; `show` and `scan` read the file without running any of it.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.drop_in.python.tools.saved_model_utils import get_meta_graph_def
from reflow.io.kernels.files import read_file, write_file
from reflow.ops.kernels.control.printing import print_v2
from reflow.saved_model import saved_model_proto, structures

#: ops that `scan` looks for by default
DENYLIST = frozenset(op.name for op in (print_v2, read_file, write_file))


def main(arguments: list[str]) -> int:
    """Run the command; its exit status."""
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        return args.function(args) or 0
    except (OSError, ValueError, RuntimeError, AssertionError, LookupError) as error:
        print(f"reflow saved-model: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("reflow saved-model", description="Look into SavedModels and call them.")
    kinds = parser.add_subparsers(required=True, metavar="show|run|scan|freeze")
    show = _subcommand(kinds, "show", _show, "print tag-sets, signatures and functions")
    show.add_argument("--signature_def", help="the signature whose inputs and outputs are printed")
    show.add_argument("--all", action="store_true", help="print everything")
    show.add_argument("--list_ops", action="store_true", help="print the ops of the graph with --tag_set")
    run = _subcommand(kinds, "run", _run, "call a signature and print its outputs")
    run.add_argument("--signature_def", default="serving_default")
    run.add_argument("--inputs", default="", help="'x=file.npy;y=file.npz[name]'")
    run.add_argument("--input_exprs", default="", help="'x=[[1.0, 2.0]]', Python literals")
    run.add_argument("--input_examples", default="", help="'x=[{\"age\": [24], \"name\": [\"a\"]}]', tf.train.Examples")
    run.add_argument("--outdir", help="a folder for the outputs, each a .npy file")
    run.add_argument("--overwrite", action="store_true", help="write over files in --outdir")
    scan = _subcommand(kinds, "scan", _scan, "look for ops that reach outside of the process")
    scan.add_argument("--op_denylist", help="other ops to look for: 'A,B'")
    freeze = _subcommand(kinds, "freeze", _freeze, "write a signature as a GraphDef with constants for variables")
    freeze.add_argument("--signature_def", default="serving_default")
    freeze.add_argument("--output", required=True, help="the file to write")
    return parser


def _subcommand(kinds: Any, name: str, function: Any, text: str) -> argparse.ArgumentParser:
    parser = kinds.add_parser(name, help=text, description=text)
    parser.add_argument("--dir", required=True, help="the folder of the SavedModel")
    parser.add_argument("--tag_set", help="the tags of a graph, separated by ','")
    parser.set_defaults(function=function)
    return parser


# --- show and scan: nothing of the model runs -------------------------------------------------------------------------


def _show(args: argparse.Namespace) -> None:
    metas = sorted(saved_model_proto.read(args.dir).meta_graphs, key=lambda m: sorted(m.meta_info_def.tags))
    if args.all:
        for meta in metas:
            _show_all(meta)
    elif args.tag_set is None:
        print("The given SavedModel contains the following tag-sets:")
        for meta in metas:
            print(", ".join(f"'{tag}'" for tag in sorted(meta.meta_info_def.tags)))
    else:
        meta = get_meta_graph_def(args.dir, args.tag_set)
        if args.list_ops:
            print(_ops_line(meta))
        if args.signature_def is not None:
            _show_signature(_signature(meta, args.signature_def))
            return
        print("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
        for key in sorted(meta.signature_def):
            print(f'SignatureDef key: "{key}"')


def _signature(meta: Any, key: str) -> Any:
    if key not in meta.signature_def:
        raise ValueError(
            f'Could not find signature "{key}". Please choose from: {", ".join(sorted(meta.signature_def))}'
        )
    return meta.signature_def[key]


def _show_all(meta: Any) -> None:
    tags = ", ".join(sorted(meta.meta_info_def.tags))
    print(f"\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:")
    for key in sorted(meta.signature_def):
        print(f"\nsignature_def['{key}']:")
        _show_signature(meta.signature_def[key], "  ")
    print(_ops_line(meta))
    if meta.object_graph_def.nodes:
        _show_functions(meta.object_graph_def)


def _show_signature(signature: Any, indent: str = "") -> None:
    for kind, tensors in (("input", signature.inputs), ("output", signature.outputs)):
        print(f"{indent}The given SavedModel SignatureDef contains the following {kind}(s):")
        for key, info in sorted(tensors.items()):
            print(f"{indent}  {kind}s['{key}'] tensor_info:")
            for line in _tensor_info(info):
                print(f"{indent}      {line}")
    print(f"{indent}Method name is: {signature.method_name}")


def _tensor_info(info: Any) -> Iterator[str]:
    if info.WhichOneof("encoding") == "composite_tensor":
        for part in info.composite_tensor.components:
            yield from _tensor_info(part)
        return
    kind = info.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number.get(info.dtype)
    yield f"dtype: {kind.name if kind else info.dtype}"
    shape = info.tensor_shape
    sizes = ", ".join(str(dim.size) for dim in shape.dim)
    yield f"shape: {'unknown_rank' if shape.unknown_rank else f'({sizes})'}"
    yield f"name: {info.coo_sparse.values_tensor_name or info.name}"


def _show_functions(graph: Any) -> None:
    print("\nConcrete Functions:", end="")
    for child in sorted(graph.nodes[0].children, key=lambda c: c.local_name):
        node = graph.nodes[child.node_id]
        kind = node.WhichOneof("kind")
        if kind == "function":
            traces = list(node.function.concrete_functions)
        elif kind == "bare_concrete_function":
            traces = [node.bare_concrete_function.concrete_function_name]
        else:
            continue
        print(f"\n  Function Name: '{child.local_name}'")
        for number, name in enumerate(traces, 1):
            args, kwargs = structures.decode(graph.concrete_functions[name].canonicalized_input_signature)
            print(f"    Option #{number}\n      Callable with:")
            _show_arguments(args, "Argument")
            _show_arguments(kwargs.values(), "Named Argument")


def _show_arguments(values: Iterable[Any], title: str) -> None:
    for i, value in enumerate(values, 1):
        print(f"        {title} #{i}")
        if isinstance(value, TensorSpec):
            print(f"          {value.name}: {value!r}")
        else:
            print(f"          DType: {type(value).__name__}\n          Value: {value}")


def _ops(meta: Any) -> set[str]:
    inside = {node.op for function in meta.graph_def.library.function for node in function.node_def}
    return inside | {node.op for node in meta.graph_def.node}


def _named(ops: Iterable[str]) -> str:
    return "{" + ", ".join(repr(op) for op in sorted(ops)) + "}"


def _ops_line(meta: Any) -> str:
    return (
        f"The MetaGraph with tag set {list(meta.meta_info_def.tags)} contains the following ops: {_named(_ops(meta))}"
    )


def _scan(args: argparse.Namespace) -> None:
    metas = (
        [get_meta_graph_def(args.dir, args.tag_set)] if args.tag_set else saved_model_proto.read(args.dir).meta_graphs
    )
    given = args.op_denylist
    denied = DENYLIST if given is None else set(given.split(","))
    for meta in metas:
        found = denied & _ops(meta)
        tags = list(meta.meta_info_def.tags)
        if found:
            print(f"MetaGraph with tag set {tags} contains the following denylisted ops: {_named(found)}")
        else:
            which = "default " if given is None else ""
            print(f"MetaGraph with tag set {tags} does not contain the {which}denylisted ops: {_named(denied)}")


# --- run and freeze ---------------------------------------------------------------------------------------------------


def _loaded(args: argparse.Namespace) -> Any:
    from reflow.saved_model.loading import load

    signatures = load(args.dir, args.tag_set.split(",") if args.tag_set else None).signatures
    if args.signature_def not in signatures:
        raise ValueError(
            f'Could not find signature "{args.signature_def}". Please choose from: {", ".join(signatures)}'
        )
    return signatures[args.signature_def]


def _run(args: argparse.Namespace) -> None:
    from reflow.ops.convert import convert_to_tensor

    values = {**_from_files(args.inputs), **_from_literals(args.input_exprs), **_from_examples(args.input_examples)}
    if not values:
        raise AssertionError("At least one of --inputs, --input_exprs and --input_examples must be specified")
    function = _loaded(args)
    kinds = {name: tensor.dtype for name, tensor in zip(function.flat_names, function.graph.arguments, strict=True)}
    unknown = sorted(set(values) - set(kinds))
    if unknown:
        raise ValueError(f'"{unknown[0]}" is not a valid input key. Please choose from {", ".join(map(repr, kinds))}')
    results = function(**{name: convert_to_tensor(value, kinds[name]) for name, value in values.items()})
    for name, tensor in sorted(results.items()):
        array = tensor.numpy()
        print(f"Result for output key {name}:\n{array}")
        if args.outdir:
            _write(os.path.join(args.outdir, f"{name}.npy"), name, array, args.overwrite)


def _write(path: str, name: str, array: Any, overwrite: bool) -> None:
    if os.path.exists(path) and not overwrite:
        raise RuntimeError(f'"{path}" already exists. Add "--overwrite" to overwrite the existing output files.')
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    np.save(path, array)
    print(f"Output {name} is saved to {path}")


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(";"):
        if part.strip():
            name, equals, value = part.partition("=")
            if not equals:
                raise RuntimeError(f'--inputs and --input_exprs are "name=value;…". Received: "{part}"')
            yield name.strip(), value.strip()


def _from_files(text: str) -> dict[str, Any]:
    """Arrays from .npy files, or from a name in a .npz.

    Pickled files run code when they are read, so they are rejected.
    """
    found = {}
    for name, value in _pairs(text):
        path, bracket, key = value.partition("[")
        array = np.load(path, allow_pickle=False)
        if isinstance(array, np.lib.npyio.NpzFile):
            names = array.files
            if not bracket and len(names) != 1:
                raise RuntimeError(f"{path} holds {names}: name one, as in {path}[{names[0]}]")
            array = array[key.rstrip("]") if bracket else names[0]]
        found[name] = array
    return found


def _from_literals(text: str) -> dict[str, Any]:
    found = {}
    for name, value in _pairs(text):
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise RuntimeError(f'Expression "{value}" is not a valid python literal.') from None
    return found


def _from_examples(text: str) -> dict[str, list]:
    """Serialized tf.train.Examples, each a dictionary of lists of numbers or texts."""
    from reflow.io.examples import Example

    found: dict[str, list] = {}
    for name, rows in _from_literals(text).items():
        found[name] = []
        for row in rows:
            example = Example()
            for key, values in row.items():
                feature = example.features.feature[key]
                if isinstance(values[0], (str, bytes)):
                    feature.bytes_list.value.extend(v.encode() if isinstance(v, str) else v for v in values)
                elif isinstance(values[0], float):
                    feature.float_list.value.extend(values)
                else:
                    feature.int64_list.value.extend(values)
            found[name].append(example.SerializeToString())
    return found


def _freeze(args: argparse.Namespace) -> None:
    from reflow.compat.freeze import convert_variables_to_constants_v2
    from reflow.train import commit

    graph = convert_variables_to_constants_v2(_loaded(args)).graph
    commit.replace_file(os.path.abspath(args.output), graph.as_graph_def().SerializeToString())
    shown = [f"{t.op.name}:0 {dtypes.as_dtype(t.dtype).name}" for t in graph.arguments]
    print(f"{args.output}: inputs {shown}, outputs {[t.name for t in graph.outputs]}")
