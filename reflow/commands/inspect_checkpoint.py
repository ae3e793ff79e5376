"""`reflow inspect-checkpoint --file_name PREFIX`: the names, shapes, types and values in a checkpoint."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from reflow.core import errors
from reflow.train.checkpoint_reader import load_checkpoint


def main(arguments: list[str]) -> int:
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser("reflow inspect-checkpoint", description="Print what a checkpoint holds.")
    parser.add_argument("file_name", nargs="?", help="the checkpoint's prefix, or the folder of checkpoints")
    parser.add_argument("--file_name", dest="named", help="the same")
    parser.add_argument("--tensor_name", help="print this value only")
    parser.add_argument("--all_tensors", action="store_true", help="print all values")
    parser.add_argument("--all_tensor_names", action="store_true", help="print all names")
    parser.add_argument(
        "--count_exclude_pattern", default="", help="names, separated by ',', that the count leaves out"
    )
    args = parser.parse_args(arguments)
    path = args.named or args.file_name
    if path is None:
        parser.error("the checkpoint's prefix is missing")
    try:
        reader = load_checkpoint(path)
        names = [args.tensor_name] if args.tensor_name else sorted(reader.get_variable_to_shape_map())
        if args.tensor_name or args.all_tensors or args.all_tensor_names:
            for name in names:
                print(
                    f"tensor: {name} ({reader.get_variable_to_dtype_map()[name].name}) "
                    f"{reader.get_variable_to_shape_map()[name]}"
                )
                if not args.all_tensor_names:
                    print(reader.get_tensor(name))
        else:
            print(reader.debug_string().decode(), end="")
    except (errors.OpError, ValueError, LookupError) as error:
        print(f"reflow inspect-checkpoint: {error}", file=sys.stderr)
        return 1
    excluded = [text for text in args.count_exclude_pattern.split(",") if text]
    counted = [s for n, s in reader.get_variable_to_shape_map().items() if not any(text in n for text in excluded)]
    print(f"# Total number of params: {sum(int(np.prod(shape)) for shape in counted)}")
    return 0
