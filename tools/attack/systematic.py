"""Every call of the op table with one input changed, in eager code and in graphs, here and in TensorFlow: where do they
differ?

    .venv/bin/python -m tools.attack systematic --tf-python ~/tf/bin/python --only Conv2D

A *change* gives one input one axis more or less, an empty axis, a longer axis, no axes at all, or another dtype; the
call itself, unchanged, comes first. Each is run eagerly, and put into graphs in the ways of `WAYS`, which differ in
what is known about the inputs. The report lists what is refused by one library alone, other values, other classes of
errors, and static shapes that are not TensorFlow's.

The report is `.attack/systematic-ONLY.txt`, a line for each difference: kind, op, number of the case, way, what is
different.
"""

from __future__ import annotations

import collections
import dataclasses
import importlib
import json
import os
import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.attack.calls import Array, Call
from tools.attack.children import answers
from tools.attack.judge import ENDLESS, NO_OPINION, beside, is_listed
from tools.attack.mutations import fitted, with_dtype
from tools.attack.worker import grouped, limit_memory, outcome, tell_where

MEMORY, SECONDS = 3 * 2**30, 20.0
#: what a graph knows about the inputs: their values; shapes; ranks; nothing; values of whole numbers, and ranks or
#: nothing of the others
WAYS = ("values", "shapes", "ranks", "nothing", "integers and ranks", "integers")
CALLS_OF_AN_OP = 3


# --- cases ------------------------------------------------------------------------------------------------------------


def cases(calls: dict[str, list[Call]]) -> list[tuple[str, Call]]:
    """All cases, with what was changed."""
    return [
        case
        for name in sorted(calls)
        for call in _different(calls[name])
        for case in [("nothing", call), *_changes(call)]
    ]


def _different(calls: list[Call]) -> list[Call]:
    """Some calls of one op, in which the numbers of inputs and axes are as different as may be."""
    found: dict[str, Call] = {}
    for call in calls:
        ranks = [[a.value.ndim for a in v] if isinstance(v, list) else v.value.ndim for v in call.inputs.values()]
        found.setdefault(str(ranks), call)
    return list(found.values())[:CALLS_OF_AN_OP]


def _changes(call: Call) -> Iterator[tuple[str, Call]]:
    for name, value in call.inputs.items():
        if isinstance(value, list):
            variants = (
                [(f"{words} at 0", [new, *value[1:]]) for words, new in _array_changes(value[0])] if value else []
            )
        else:
            variants = list(_array_changes(value))
        for words, new in variants:
            yield f"{name}: {words}", dataclasses.replace(call, inputs={**call.inputs, name: new})


def _array_changes(array: Array) -> Iterator[tuple[str, Array]]:
    value = array.value
    shapes = {"one axis more": (1, *value.shape)}
    if value.ndim:
        *front, last = value.shape
        first, *rest = value.shape
        shapes["one axis less"] = tuple(rest)
        shapes["first axis empty"] = (0, *rest)
        shapes["last axis empty"] = (*front, 0)
        shapes["first axis longer"] = (first + 1, *rest)
        shapes["last axis longer"] = (*front, last + 1)
        shapes["scalar"] = ()
    seen = {value.shape}
    for words, shape in shapes.items():
        if shape not in seen:
            seen.add(shape)
            yield words, Array(array.dtype, fitted(value, shape))
    for dtype in _other_dtypes(array.dtype):
        yield dtype, with_dtype(array, dtype)


def _other_dtypes(dtype: str) -> tuple[str, ...]:
    kinds = {"float32": ("float64", "int32"), "int32": ("int64", "float32"), "int64": ("int32", "float32")}
    return kinds.get(dtype, ("float32", "string") if dtype != "string" else ("float32",))


# --- in a child -------------------------------------------------------------------------------------------------------


def attempt(tf: Any, call: Call) -> dict[str, Any]:
    """What comes of a call, eagerly and in each way to put it into a graph."""
    try:
        found = {"eager": outcome(lambda: call.perform(tf, call.tensors(tf)))} if call.inputs else {}
    except Exception as error:  # noqa: BLE001 - an input that cannot be made is no case
        return {"skipped": str(error)[:80]}
    return found | {way: _inferred(tf, call, way) for way in WAYS}


def _inferred(tf: Any, call: Call, way: str) -> dict[str, Any]:
    """The static shapes of the results, or the error, in a graph."""

    def build() -> list:
        tensors = [_symbolic(tf, a, way) for v in call.inputs.values() for a in (v if isinstance(v, list) else [v])]
        return [None if t.shape.rank is None else t.shape.as_list() for t in _tensors(call.perform(tf, tensors))]

    with tf.Graph().as_default():
        try:
            return {"shapes": build()}
        except Exception as error:  # noqa: BLE001 - whatever comes is compared
            family = [c.__name__ for c in type(error).__mro__]
            return {"error": type(error).__name__, "family": family, "words": str(error)[:300]}


def _symbolic(tf: Any, array: Array, way: str) -> Any:
    whole = array.value.dtype.kind in "iu" and array.value.ndim < 3
    if way == "values" or way.startswith("integers") and whole:
        return array.tensor(tf)
    rank = array.value.ndim
    shape = {"shapes": array.value.shape, "ranks": [None] * rank, "integers and ranks": [None] * rank}.get(way)
    return tf.compat.v1.placeholder(array.dtype, shape)


def _tensors(results: Any) -> Iterator[Any]:
    if isinstance(results, (list, tuple)):
        for value in results:
            yield from _tensors(value)
    elif hasattr(results, "dtype"):
        yield results


def main() -> None:
    library, path, facts = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    tf = importlib.import_module(library)
    all_cases = cases(grouped(pickle.loads(Path(path).read_bytes()), facts["only"]))
    limit_memory(facts["memory"])
    tell_where()
    for number in range(facts["first"], min(facts["last"], len(all_cases))):
        print(f"> {number}", file=out, flush=True)
        print(json.dumps({"case": number, "outcomes": attempt(tf, all_cases[number][1])}), file=out, flush=True)


# --- the report -------------------------------------------------------------------------------------------------------


def attack(folder: Path, args: Any) -> int:
    """Run all cases in both libraries and write the report; how many calls are accepted here alone."""
    from tools.attack.ops import recorded_calls

    if not args.tf_python:
        print("no TensorFlow to compare with: --tf-python")
        return 0
    path, only = recorded_calls(folder), args.only.replace(",", "_") or "all"
    all_cases = cases(grouped(pickle.loads(path.read_bytes()), args.only))
    facts = {"only": args.only, "first": 0, "last": len(all_cases), "seconds": SECONDS, "memory": MEMORY}
    sides = []
    for python, library in ((sys.executable, "reflow"), (args.tf_python, "tensorflow")):
        kept = folder / f"systematic-{only}-{library}.jsonl"
        if library == "reflow" or not kept.exists():
            with open(kept, "w") as file:
                for answer in answers([python, "-m", "tools.attack.systematic", library, str(path)], facts):
                    print(json.dumps(answer), file=file)
        sides.append([json.loads(line) for line in kept.read_text().splitlines()])
    counts: collections.Counter = collections.Counter()
    with open(folder / f"systematic-{only}.txt", "w") as file:
        for number, ((changed, call), ours, theirs) in enumerate(zip(all_cases, *sides, strict=True)):
            for kind, way, words in differences(call.op, ours, theirs):
                counts[kind] += 1
                print(f"{kind}\t{call.op}\t{number}\t{changed}\t{way}\t{words!r}", file=file)
    print(f"{len(all_cases)} cases: {dict(counts)}")
    return counts["silent"]


def differences(op: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Kind, way and words of what is not as in TensorFlow."""
    if "died" in theirs:
        return
    if "died" in ours:
        yield "died", "", ours["died"]
        return
    for way, right in theirs["outcomes"].items():
        mine = ours["outcomes"].get(way)
        if way == "skipped" or mine is None or isinstance(mine, str):
            continue
        if "error" in mine and "error" in right:
            if mine["error"] != right["error"] and not _no_opinion(right):
                yield "class", way, f"{_told(mine)} instead of {_told(right)}"
        elif way == "eager":
            for kind, words in beside(op, mine, right):
                if kind != "listed":
                    yield kind, way, words
        else:
            yield from _static(op, way, mine, right)


def _no_opinion(right: dict[str, Any]) -> bool:
    return bool(NO_OPINION.search(right["words"])) or right["error"] in ENDLESS


def _told(side: dict[str, Any]) -> str:
    return f"{side['error']}: {side['words'][:140]}"


def _static(op: str, way: str, mine: dict[str, Any], right: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    if "error" in right:
        if not _no_opinion(right) and not is_listed(op, right["words"]):
            yield "silent", way, _told(right)
    elif "error" in mine:
        yield "refused", way, _told(mine)
    elif mine["shapes"] != right["shapes"]:
        yield _kind(mine["shapes"], right["shapes"]), way, f"{mine['shapes']} instead of {right['shapes']}"


def _kind(mine: list, right: list) -> str:
    """Whether less is known here than in TensorFlow, more, or something else."""
    if len(mine) != len(right):
        return "other shape"
    less = more = False
    for a, b in zip(mine, right):
        if a is None or b is None:
            less, more = less or a is None and b is not None, more or b is None and a is not None
        elif len(a) != len(b) or any(x != y for x, y in zip(a, b) if None not in (x, y)):
            return "other shape"
        else:
            less = less or any(x is None and y is not None for x, y in zip(a, b))
            more = more or any(y is None and x is not None for x, y in zip(a, b))
    return "other shape" if less and more else "less known" if less else "more known"


if __name__ == "__main__":
    main()
