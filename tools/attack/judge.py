"""What is wrong with what came of a case: by itself, between modes, and beside TensorFlow.

    crash     the process died                     hang      it took longer than it may
    leaked    an error of a class that TensorFlow's users do not expect
    silent    accepted here, refused by TensorFlow
    listed    a difference with a reason in `accepted.txt`
    refused   refused here, accepted by TensorFlow
    result    another dtype or shape than TensorFlow's
    modes     eager code and a function do not agree whether it is an error
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tools.attack.worker import is_plain

#: TensorFlow's refusals that say nothing about the call: no kernel, no gradient of it in XLA, its process' memory
NO_OPINION = re.compile(
    r"Could not find device|No OpKernel|no registered|not find compiler|[Dd]etected unsupported operations|OOM|"
    r"Don't know how to convert|is neither a type of a primitive|do(?:es)? not (?:yet )?support|[Uu]nsupported|not supported|"
    r"currently only supports|unimplemented|Not implemented|has constraint on attr|could not find|not implemented|PyArray|"
    r"Op type not registered|is not available"
)
#: an op, part of what TensorFlow says or of both results, and the reason why it is otherwise here
ACCEPTED = [line.split("\t") for line in Path(__file__).with_name("accepted.txt").read_text().splitlines() if line]
ENDLESS = ("NotFoundError", "UnimplementedError", "ResourceExhaustedError", "InternalError", "UnknownError")


def problems(op: str, ours: dict[str, Any], theirs: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Pairs of a kind of problem and what to say about it, of a case of `op`."""
    if ours.get("died") == "hang" and theirs and theirs.get("died") == "hang":
        return []  # honest work on what is too much for both
    if "died" in ours:
        kind = "hang" if ours["died"] == "hang" else "crash"
        return [("listed" if is_listed(op, ours["died"]) else kind, ours["died"])]
    found = [("leaked", f"{mode}: {out['error']}: {out['words'][:120]}") for mode, out in _each(ours) if _refused(out) and not is_plain(out)]
    outcomes = ours["outcomes"]
    if "eager" in outcomes and "first" in outcomes and _refused(outcomes["eager"]):
        # not "jit": XLA checks no values, here as in TensorFlow
        accepted = [m for m in ("first", "second") if m in outcomes and not _refused(outcomes[m])]
        words = outcomes["eager"].get("words", "")
        if accepted and not (theirs and "died" not in theirs and not _refused(theirs["outcomes"].get("first", {}))):
            found.append(("modes", f"accepted by {', '.join(accepted)}; eager: {words[:120]}"))
    if theirs is not None and "died" not in theirs and "eager" in theirs["outcomes"] and "eager" in outcomes:
        found += _beside(op, outcomes["eager"], theirs["outcomes"]["eager"])
    return found


def _each(ours: dict[str, Any]):
    return [(mode, out) for mode, out in ours["outcomes"].items() if mode != "skipped"]


def _refused(out: dict[str, Any]) -> bool:
    return "error" in out


def is_listed(op: str, words: str) -> bool:
    """Whether a difference is meant: TensorFlow refuses a call of `op` with these words, or gives something else; or it is to wait."""
    return any(op == name and part in words for name, part, _ in ACCEPTED)


def _beside(op: str, ours: dict[str, Any], theirs: dict[str, Any]) -> list[tuple[str, str]]:
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
    return [("listed" if is_listed(op, words) else "result", words)] if kinds[0] != kinds[1] else []
