"""`tensorflow.python.tools.saved_model_cli`: the commands `show`, `run` and `scan` of TensorFlow's command line.

Their options are flags of `absl`. `reflow saved-model` has the same commands, and others in place of those that need
TensorRT or compile to object files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from absl import app, flags
from absl.flags import argparse_flags

from reflow.drop_in.python.tools import saved_model_utils
from reflow.ops.convert import convert_to_tensor
from reflow.saved_model import command_inputs, listing
from reflow.saved_model.loading import load

load_inputs_from_input_arg_string = command_inputs.load_inputs_from_input_arg_string
preprocess_input_examples_arg_string = command_inputs.preprocess_input_examples_arg_string
preprocess_input_exprs_arg_string = command_inputs.preprocess_input_exprs_arg_string
preprocess_inputs_arg_string = command_inputs.preprocess_inputs_arg_string

_OP_DENYLIST = set(listing.DENYLIST)
_DIR: Any = flags.DEFINE_string("dir", None, "The folder of the SavedModel.")
_ALL = flags.DEFINE_bool("all", False, "Print everything.")
_TAG_SET: Any = flags.DEFINE_string("tag_set", None, "The tags of a graph, separated by ','.")
_SIGNATURE_DEF: Any = flags.DEFINE_string("signature_def", None, "The name of a signature.")
_LIST_OPS = flags.DEFINE_bool("list_ops", False, "Print the ops of the graph with --tag_set.")
_INPUTS = flags.DEFINE_string("inputs", "", "Inputs from files: 'x=file.npy;y=file.npz[name]'.")
_INPUT_EXPRS = flags.DEFINE_string("input_exprs", "", "Inputs as Python literals: 'x=[[1.0, 2.0]]'.")
_INPUT_EXAMPLES = flags.DEFINE_string("input_examples", "", "Inputs as tf.train.Examples: 'x=[{\"age\": [24]}]'.")
_OUTDIR = flags.DEFINE_string("outdir", None, "A folder for the outputs, each a .npy file.")
_OVERWRITE = flags.DEFINE_bool("overwrite", False, "Write over files in --outdir.")
_DENYLIST = flags.DEFINE_string("op_denylist", None, "Ops to look for, separated by ','.")

command_required_flags = {"show": ["dir"], "run": ["dir", "tag_set", "signature_def"], "scan": ["dir"]}


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> Any:
    """The graph with the given tags, which commas separate."""
    return saved_model_utils.get_meta_graph_def(saved_model_dir, tag_set)


def get_signature_def_map(saved_model_dir: str, tag_set: str) -> Mapping[str, Any]:
    """The signatures of a graph by name."""
    return get_meta_graph_def(saved_model_dir, tag_set).signature_def


def _print_tensor_info(tensor_info: Any, indent: int = 0) -> None:
    """The dtype, shape and name of a tensor."""
    for line in listing.tensor_info(tensor_info):
        print("  " * indent + "    " + line)


def scan_meta_graph_def(meta_graph_def: Any, op_denylist: Collection[str]) -> None:
    """Print the ops of a graph that are denied."""
    listing.scan(meta_graph_def, op_denylist)


def run_saved_model_with_feed_dict(
    saved_model_dir: str, tag_set: str, signature_def_key: str, input_tensor_key_feed_dict: Mapping[str, Any],
    outdir: str | None, overwrite_flag: bool,
) -> None:
    """Call a signature, print its outputs, and write them to a folder if one is given.

    Raises:
      ValueError: There is no such signature, or an input that it does not have.
      RuntimeError: A file of that name exists and is not to be overwritten.
    """
    expected = listing.signature(get_meta_graph_def(saved_model_dir, tag_set), signature_def_key).inputs
    for key in input_tensor_key_feed_dict:
        if key not in expected:
            names = ", ".join(f'"{name}"' for name in expected)
            raise ValueError(f'"{key}" is not a valid input key. Please choose from {names}, or use --show option.')
    function = load(saved_model_dir, tag_set.split(",")).signatures[signature_def_key]
    kinds = {name: tensor.dtype for name, tensor in zip(function.flat_names, function.graph.arguments, strict=True)}
    results = function(**{key: convert_to_tensor(x, kinds[key]) for key, x in input_tensor_key_feed_dict.items()})
    for key, tensor in sorted(results.items()):
        array = tensor.numpy()
        print(f"Result for output key {key}:\n{array}")
        if outdir:
            os.makedirs(outdir, exist_ok=True)
            path = os.path.join(outdir, f"{key}.npy")
            if os.path.exists(path) and not overwrite_flag:
                raise RuntimeError(
                    f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.'
                )
            np.save(path, array)
            print(f"Output {key} is saved to {path}")


def show() -> None:
    """The command `show`."""
    metas = saved_model_utils.read_saved_model(_DIR.value).meta_graphs
    if _ALL.value:
        for meta in sorted(metas, key=lambda meta: list(meta.meta_info_def.tags)):
            listing.show_all(meta)
            if meta.object_graph_def.nodes:
                listing.show_functions(meta.object_graph_def)
    elif _TAG_SET.value is None:
        if _LIST_OPS.value:
            print("--list_ops must be paired with a tag-set or with --all.")
        listing.show_tag_sets(metas)
    else:
        meta = get_meta_graph_def(_DIR.value, _TAG_SET.value)
        if _LIST_OPS.value:
            print(listing.ops_line(meta))
        if _SIGNATURE_DEF.value is None:
            listing.show_keys(meta)
        else:
            listing.show_signature(listing.signature(meta, _SIGNATURE_DEF.value))


def run() -> None:
    """The command `run`; AttributeError if it is given no inputs."""
    given = _INPUTS.value, _INPUT_EXPRS.value, _INPUT_EXAMPLES.value
    if not any(given):
        raise AttributeError("At least one of --inputs, --input_exprs or --input_examples must be required")
    run_saved_model_with_feed_dict(
        _DIR.value, _TAG_SET.value, _SIGNATURE_DEF.value, load_inputs_from_input_arg_string(*given), _OUTDIR.value,
        _OVERWRITE.value,
    )


def scan() -> None:
    """The command `scan`."""
    named = {op.strip() for op in (_DENYLIST.value or "").split(",")} - {""}
    tags = _TAG_SET.value
    metas = saved_model_utils.read_saved_model(_DIR.value).meta_graphs
    for meta in [get_meta_graph_def(_DIR.value, tags)] if tags else metas:
        scan_meta_graph_def(meta, named or _OP_DENYLIST)


def create_parser() -> argparse_flags.ArgumentParser:
    """A parser of the commands; what it parses has the function of the command as `func`."""
    parser = argparse_flags.ArgumentParser(
        description="saved_model_cli: Command-line interface for SavedModel", conflict_handler="resolve"
    )
    parser.add_argument("-v", "--version", action="version", version="0.1.0")
    commands = parser.add_subparsers(title="commands", description="valid commands")
    for name, function, text in (
        ("show", show, "Print tag-sets, signatures and functions."),
        ("run", run, "Call a signature and print its outputs."),
        ("scan", scan, "Look for ops that reach outside of the process."),
    ):
        commands.add_parser(name, description=text).set_defaults(func=function)
    return parser


def main() -> None:
    """Run the command that the program's arguments name."""

    def parse(argv: list[str]) -> Any:
        if len(argv) > 1 and argv[1] in command_required_flags:
            flags.mark_flags_as_required(command_required_flags[argv[1]])
        return create_parser().parse_args(argv[1:])

    def command(arguments: Any) -> None:
        if not hasattr(arguments, "func"):
            create_parser().print_help(sys.stderr)
            raise SystemExit(2)
        arguments.func()

    app.run(command, flags_parser=parse)


if __name__ == "__main__":
    main()
