"""What is wrong with what came of a case: by itself, between modes, and beside TensorFlow.

    crash     the process died                     hang      it took longer than it may
    leaked    an error of a class that TensorFlow's users do not expect
    silent    accepted here, refused by TensorFlow
    listed    a difference with a reason in `accepted.txt`
    refused   refused here, accepted by TensorFlow
    result    another dtype or shape than TensorFlow's
    value     other numbers or strings than TensorFlow's, beyond what rounding explains
    modes     eager code and a function do not agree whether it is an error
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from tools.attack.worker import is_plain

#: TensorFlow's refusals that say nothing about the call: no kernel, no gradient of it in XLA, its process' memory
NO_OPINION = re.compile(
    r"Could not find device|No OpKernel|no registered|not find compiler|[Dd]etected unsupported operations|OOM|Don't "
    r"know how to convert|is neither a type of a primitive|do(?:es)? not (?:yet )?support|[Uu]nsupported|not "
    r"supported|currently only supports|only supports (?:NHWC|equal length)|unimplemented|Not implemented|has "
    r"constraint on attr|could not find|not implemented|PyArray|Op type not registered|is not available"
)
#: an op, part of what TensorFlow says or of both results, and the reason why it is otherwise here
ACCEPTED = [line.split("\t") for line in Path(__file__).with_name("accepted.txt").read_text().splitlines() if line]
#: ops whose results are drawn from a generator, or depend on calls before them or on the clock, or are never written
RANDOM = re.compile(
    r"^(?:Random|Multinomial|ParameterizedTruncated|TruncatedNormal|StatefulStandard|.*CandidateSampler|"
    r"SampleDistorted|NonDeterministic|Empty$|KmeansPlus|.*Shuffle$|Timestamp$|"
    r"(?:Ordered)?Map(?:Incomplete)?Size$|StageSize$)"
)
#: how far numbers may lie from TensorFlow's, as a part of the largest one
TOLERANCES = {
    "float16": 1e-2, "bfloat16": 4e-2, "float32": 1e-4, "float64": 1e-8, "complex64": 1e-4, "complex128": 1e-8
}
ENDLESS = ("NotFoundError", "UnimplementedError", "ResourceExhaustedError", "InternalError", "UnknownError")


def problems(op: str, ours: dict[str, Any], theirs: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Pairs of a kind of problem and what to say about it, of a case of `op`."""
    if ours.get("died") == "hang" and theirs and theirs.get("died") == "hang":
        return []  # honest work on what is too much for both
    if "died" in ours:
        kind = "hang" if ours["died"] == "hang" else "crash"
        return [("listed" if is_listed(op, ours["died"]) else kind, ours["died"])]
    found = [
        ("leaked", f"{mode}: {out['error']}: {out['words'][:120]}") for mode, out in _each(ours)
        if _refused(out) and not is_plain(out)
    ]
    outcomes = ours["outcomes"]
    if "eager" in outcomes and "first" in outcomes and _refused(outcomes["eager"]):
        # not "jit": XLA checks no values, here as in TensorFlow
        accepted = [m for m in ("first", "second") if m in outcomes and not _refused(outcomes[m])]
        words = outcomes["eager"].get("words", "")
        if accepted and not (theirs and "died" not in theirs and not _refused(theirs["outcomes"].get("first", {}))):
            found.append(("modes", f"accepted by {', '.join(accepted)}; eager: {words[:120]}"))
    if theirs is not None and "died" not in theirs and "eager" in theirs["outcomes"] and "eager" in outcomes:
        found += beside(op, outcomes["eager"], theirs["outcomes"]["eager"])
    return found


def _each(ours: dict[str, Any]):
    return [(mode, out) for mode, out in ours["outcomes"].items() if mode != "skipped"]


def _refused(out: dict[str, Any]) -> bool:
    return "error" in out


def is_listed(op: str, words: str) -> bool:
    """Whether a difference is meant: TensorFlow refuses a call of `op` with these words, or gives something else;
    or it is to wait."""
    return any(op == name and part in words for name, part, _ in ACCEPTED)


def beside(op: str, ours: dict[str, Any], theirs: dict[str, Any]) -> list[tuple[str, str]]:
    """Our outcome beside TensorFlow's."""
    if _refused(theirs):
        if _refused(ours) or NO_OPINION.search(theirs["words"]) or theirs["error"] in ENDLESS:
            return []
        words = re.sub(r"\{\{.*?\}\} ?", "", theirs["words"])  # where the op ran
        return [("listed" if is_listed(op, words) else "silent", f"{theirs['error']}: {words[:160]}")]
    if _refused(ours):
        return [("refused", f"{ours['error']}: {ours['words'][:160]}")]
    kinds = [[r[:2] for r in side["results"]] for side in (ours, theirs)]
    words = f"{kinds[0]} instead of {kinds[1]}"
    if kinds[0] != kinds[1]:
        return [("listed" if is_listed(op, words) else "result", words)]
    return [
        ("listed" if is_listed(op, words) else "value", words)
        for words in _other_values(op, ours["results"], theirs["results"])
    ]


def _other_values(op: str, ours: list, theirs: list) -> list[str]:
    """What to say about the first result whose numbers or strings are not TensorFlow's."""
    if RANDOM.search(op):
        return []
    for at, ((dtype, _, mine), (_, _, right)) in enumerate(zip(ours, theirs)):
        if mine != right and (dtype == "string" or not _close(dtype, mine, right)):
            return [f"result {at}, {dtype}: {mine} instead of {right}"]
    return []


def _close(dtype: str, mine: list[str], right: list[str]) -> bool:
    """Whether numbers, written by `repr`, are equal up to the rounding of sums of their size."""
    a, b = (np.array([complex(v) for v in side]) for side in (mine, right))
    tolerance = TOLERANCES.get(dtype, 0.0)
    for x, y in ((a.real, b.real), (a.imag, b.imag)):
        finite = np.isfinite(y)
        if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
            return False
        if (
            finite.any()
            and not np.all(np.abs(x[finite] - y[finite]) <= tolerance * np.abs(b[np.isfinite(b)]).max(initial=0.0))
        ):
            return False
    return True
