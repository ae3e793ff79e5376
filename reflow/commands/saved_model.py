"""`reflow saved-model show|run|scan|freeze`: inspects and calls a SavedModel. Options and output are those of
`saved_model_cli`.

`freeze` writes a signature as one GraphDef file with its variables as constants. `scan` names ops that a cautious
server would reject; `show` and `scan` read the file without running any of it.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from reflow.core import dtypes
from reflow.drop_in.python.tools.saved_model_utils import get_meta_graph_def
from reflow.saved_model import listing, saved_model_proto
from reflow.saved_model.command_inputs import load_inputs_from_input_arg_string


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
            listing.show_all(meta)
            if meta.object_graph_def.nodes:
                listing.show_functions(meta.object_graph_def)
    elif args.tag_set is None:
        listing.show_tag_sets(metas)
    else:
        meta = get_meta_graph_def(args.dir, args.tag_set)
        if args.list_ops:
            print(listing.ops_line(meta))
        if args.signature_def is None:
            listing.show_keys(meta)
        else:
            listing.show_signature(listing.signature(meta, args.signature_def))


def _scan(args: argparse.Namespace) -> None:
    metas = (
        [get_meta_graph_def(args.dir, args.tag_set)] if args.tag_set else saved_model_proto.read(args.dir).meta_graphs
    )
    given = args.op_denylist
    for meta in metas:
        listing.scan(meta, listing.DENYLIST if given is None else given.split(","))


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
    from reflow.drop_in.python.tools.saved_model_cli import run_saved_model_with_feed_dict

    values = load_inputs_from_input_arg_string(args.inputs, args.input_exprs, args.input_examples, allow_pickle=False)
    if not values:
        raise AssertionError("At least one of --inputs, --input_exprs and --input_examples must be specified")
    tags = args.tag_set
    if tags is None:
        tags = ",".join(saved_model_proto.read(args.dir).meta_graphs[0].meta_info_def.tags)
    run_saved_model_with_feed_dict(args.dir, tags, args.signature_def, values, args.outdir, args.overwrite)


def _freeze(args: argparse.Namespace) -> None:
    from reflow.compat.freeze import convert_variables_to_constants_v2
    from reflow.train import commit

    graph = convert_variables_to_constants_v2(_loaded(args)).graph
    commit.replace_file(os.path.abspath(args.output), graph.as_graph_def().SerializeToString())
    shown = [f"{t.op.name}:0 {dtypes.as_dtype(t.dtype).name}" for t in graph.arguments]
    print(f"{args.output}: inputs {shown}, outputs {[t.name for t in graph.outputs]}")
