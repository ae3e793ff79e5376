"""Writes `reflow/ops/opdefs.json.gz` from TensorFlow's OpDefs in the JSON form of their protos.

    python tools/make_opdefs.py path/to/tensorflow-2.21-ops.json path/to/unlisted-ops.json
    python tools/make_opdefs.py path/to/test-ops.json --output reflow/drop_in/python/framework/test_opdefs.json.gz

The inputs map names to OpDefs as protobuf's JSON writer prints them: camelCase keys, integers as strings,
bytes in base64, zero and empty fields left out. The second holds ops that `tf.raw_ops` does not have. The output
is what `reflow/ops/opdef.py` describes. The archive carries no time stamp, so the same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parent.parent / "reflow" / "ops" / "opdefs.json.gz"
ARG_FIELDS = {
    "name": "name",
    "type": "type",
    "typeAttr": "type_attr",
    "numberAttr": "number_attr",
    "typeListAttr": "type_list_attr",
    "isRef": "is_ref",
}
# The element's key inside an AttrValue, by the attribute's type.
VALUE_KEYS = {
    "type": "type",
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def convert_op(op: dict[str, Any]) -> dict[str, Any]:
    """One OpDef: short keys, plain values, empty parts left out."""
    result: dict[str, Any] = {
        "in": [convert_arg(arg) for arg in op.get("inputArg", ())],
        "out": [convert_arg(arg) for arg in op.get("outputArg", ())],
        "attr": [convert_attr(attr) for attr in op.get("attr", ())],
        "stateful": op.get("isStateful", False),
        "unlisted": op.get("unlisted", False),
    }
    return {key: value for key, value in result.items() if value}


def convert_arg(arg: dict[str, Any]) -> dict[str, Any]:
    return {ours: arg[theirs] for theirs, ours in ARG_FIELDS.items() if theirs in arg}


def convert_attr(attr: dict[str, Any]) -> dict[str, Any]:
    kind = attr["type"]
    element = kind.removeprefix("list(").removesuffix(")")
    result: dict[str, Any] = {"name": attr["name"], "type": kind}
    if "defaultValue" in attr:
        result["default"] = convert_value(attr["defaultValue"], kind)
    if "allowedValues" in attr:  # always a list of elements, also for a list attribute
        result["allowed"] = convert_value(attr["allowedValues"], f"list({element})")
    if attr.get("hasMinimum"):
        result["minimum"] = int(attr.get("minimum", 0))
    return result


def convert_value(value: dict[str, Any], kind: str) -> Any:
    """An AttrValue as a plain JSON value."""
    if kind.startswith("list("):
        element = kind[len("list(") : -1]
        return [convert_element(item, element) for item in value["list"].get(VALUE_KEYS[element], ())]
    return convert_element(value[VALUE_KEYS[kind]], kind)


def convert_element(value: Any, kind: str) -> Any:
    if kind == "int":
        return int(value)
    if kind == "float":
        return float(value)  # "Infinity" is spelled as float() reads it
    if kind == "string":
        return base64.b64decode(value).decode()  # every string in TensorFlow's OpDefs is text
    if kind == "shape":
        return convert_shape(value)
    return value


def convert_shape(shape: dict[str, Any]) -> list[int | None] | None:
    if shape.get("unknownRank"):
        return None
    sizes = [int(dim.get("size", 0)) for dim in shape.get("dim", ())]
    return [None if size < 0 else size for size in sizes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path, nargs="+", help="TensorFlow's OpDefs, as JSON")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    ops = json.loads(options.sources[0].read_text())
    for source in options.sources[1:]:
        ops |= {name: op | {"unlisted": True} for name, op in json.loads(source.read_text()).items()}
    lines = [f"{name}\t{json.dumps(convert_op(op), separators=(',', ':'))}\n" for name, op in sorted(ops.items())]
    options.output.write_bytes(gzip.compress("".join(lines).encode(), compresslevel=9, mtime=0))
    print(f"{len(lines)} ops, {options.output.stat().st_size:,} bytes in {options.output}")


if __name__ == "__main__":
    main()
