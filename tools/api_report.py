"""How much of TensorFlow 2.21's public surface Reflow has (`make api`).

    python tools/api_report.py            # the table
    python tools/api_report.py --missing tf.math     # names that a namespace still lacks
    python tools/api_report.py --signatures tf.math  # functions and methods there that take other arguments
    python tools/api_report.py --update   # raises the floor in tools/data/api_floor.json to today's counts
    python tools/api_report.py --page     # writes docs/compatibility.md
    python tools/api_report.py --record path/to/tensorflow-2.21.json    # renews the list of names

A *name* is present if `getattr` finds it, step by step, from the `reflow` package: nothing else is imported.
A *signature* agrees if every call that TensorFlow's allows is allowed here too: its parameters exist in its order, and
those it gives a default have one (what a default *is* is not compared: most are objects). Classes are compared by their
constructor and methods. A name is *left out* if `docs/names-left-out.md` says why; other names that are absent are
*missing*. An *op* is present if `reflow.ops.registry.REGISTRY` has it once `reflow` is imported.
`tests/test_api_counts.py` keeps the counts from falling below the *floor*.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parent / "data"
NAMES_FILE = DATA / "tensorflow-2.21-names.json.gz"
FLOOR_FILE = DATA / "api_floor.json"
LEFT_OUT = Path(__file__).parent.parent / "docs" / "names-left-out.md"
PAGE = Path(__file__).parent.parent / "docs" / "compatibility.md"
BADGES = PAGE.parent / "pictures"

sys.path.insert(0, str(Path(__file__).parent.parent))

from reflow.api.framework import svg  # noqa: E402
from tools import measured  # noqa: E402


class Count(NamedTuple):
    present: int
    total: int


def recorded_names() -> dict[str, dict[str, Any]]:
    """TensorFlow's public names: `tf.a.b` -> kind, signature, and for classes the members' signatures."""
    return json.loads(gzip.decompress(NAMES_FILE.read_bytes()))


def record_names(source: Path) -> None:
    """Packs the list of names; without a time stamp, so the same list gives the same bytes."""
    text = json.dumps(json.loads(source.read_text()), separators=(",", ":"), sort_keys=True)
    NAMES_FILE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def left_out() -> dict[str, str]:
    """The names that stay out, with the reason: the rows of the first table in `docs/names-left-out.md`."""
    return _rows(0)


def differing() -> dict[str, str]:
    """The classes that lack a method of TensorFlow's, with the reason: the rows of the second table there."""
    return _rows(1)


def _rows(section: int) -> dict[str, str]:
    text = LEFT_OUT.read_text().split("\n## ")[section]
    return dict(re.findall(r"^\| `(tf\.[\w.]+)` \| (.+) \|$", text, re.MULTILINE))


def find(root: Any, name: str) -> Any:
    """The object `tf.a.b` with `tf` standing for `root`; AttributeError if there is none."""
    value = root
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value


def is_present(root: Any, name: str) -> bool:
    """Whether `tf.a.b` resolves."""
    try:
        find(root, name)
    except AttributeError:
        return False
    return True


def namespace(name: str) -> str:
    """The first namespace of a name: `tf.math` of `tf.math.special.dawsn`, `tf` of `tf.add`."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else "tf"


def count_names(root: Any, names: Iterable[str]) -> dict[str, Count]:
    """Present and total by namespace, in the order of the names."""
    totals: collections.Counter[str] = collections.Counter()
    present: collections.Counter[str] = collections.Counter()
    for name in names:
        totals[namespace(name)] += 1
        present[namespace(name)] += is_present(root, name)
    return {space: Count(present[space], total) for space, total in totals.items()}


def parameters(text: str) -> list[tuple[str, str, bool]]:
    """(name, prefix, has a default) for each parameter in the text of a signature: `(x, *, name=None)`."""
    inside = text[text.index("(") + 1 :]
    parts, depth, start, quote = [], 0, 0, ""
    for i, c in enumerate(inside):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{<":
            depth += 1
        elif c in ")]}>" and not (c == ">" and inside[i - 1] == "-"):
            depth -= 1
        if (c == "," and depth == 0 and not quote) or depth < 0:
            parts.append(inside[start:i].strip())
            start = i + 1
        if depth < 0:
            break
    out = []
    for part in filter(None, parts):
        prefix = part[: len(part) - len(part.lstrip("*"))]
        name = part.lstrip("*").split("=")[0].split(":")[0].strip()
        out.append((name, prefix, "=" in part.split(":")[-1] or "=" in part))
    return out


def disagreement(recorded: str, thing: Any) -> str | None:
    """What a call that TensorFlow allows would miss here, or None."""
    try:
        ours = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in ours.values()}
    if {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL} <= kinds:
        return None
    theirs = [p for p in parameters(recorded) if p[0] not in ("self", "/") and (p[0] != "cls" or "cls" in ours)]
    positional = [n for n, p in ours.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and n != "self"]
    keyword_only = False
    for i, (name, prefix, optional) in enumerate(theirs):
        if prefix:
            keyword_only = True
            continue
        if name not in ours:
            if inspect.Parameter.VAR_KEYWORD in kinds:
                continue
            return f"lacks {name}"
        if optional and ours[name].default is inspect.Parameter.empty:
            return f"needs {name}"
        if (
            not keyword_only
            and (i >= len(positional) or positional[i] != name)
            and inspect.Parameter.VAR_POSITIONAL not in kinds
        ):
            return f"has {name} elsewhere"
    # what else there is to pass, TensorFlow's signature does not say
    if {"*", "**"} <= {prefix for _, prefix, _ in theirs}:
        return None
    required = [
        n for n, p in ours.items() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD and n != "self"
    ]
    extra = [n for n in required if n not in [name for name, _, _ in theirs]]
    return f"needs {extra[0]}" if extra else None


def disagreements(root: Any, names: dict[str, dict[str, Any]], prefix: str = "tf") -> list[str]:
    """One line for each present function or method whose signature is not TensorFlow's."""
    out = []
    for name, facts in names.items():
        if not (name == prefix or name.startswith(prefix + ".")) or not is_present(root, name):
            continue
        thing = find(root, name)
        if facts["kind"] == "function":
            what = disagreement(facts["signature"] or "()", thing) if facts["signature"] else None
            if what:
                out.append(f"{name}: {what}")
        elif facts["kind"] == "class" and isinstance(thing, type):
            out += [f"{name}.{member}: {what}" for member, what in _members(facts, thing)]
    return out


def _members(facts: dict[str, Any], thing: type) -> Iterable[tuple[str, str]]:
    if facts.get("init"):
        what = disagreement(facts["init"], thing)
        if what:
            yield "__init__", what
    for member, text in facts.get("members", {}).items():
        if not hasattr(thing, member):
            if not any(member in vars(c).get("__annotations__", {}) for c in thing.__mro__):  # an attribute of objects
                yield member, "is missing"
        elif text and text.startswith("("):
            what = disagreement(text, getattr(thing, member))
            if what:
                yield member, what


def count_signatures(root: Any, names: dict[str, dict[str, Any]]) -> Count:
    """Present functions and classes, and how many of them take everything that TensorFlow's take."""
    present = [n for n, facts in names.items() if facts["kind"] != "value" and is_present(root, n)]
    wrong = {line.split(":")[0] for line in disagreements(root, names)}
    wrong_names = {n for n in present if n in wrong or any(w.startswith(n + ".") for w in wrong)}
    return Count(len(present) - len(wrong_names), len(present))


def count_ops() -> Count:
    """Ops of TensorFlow's that have a record. Ops of our own (`Reflow>…`) do not count."""
    from reflow.ops import opdef

    theirs = {name for name in opdef.names() if not name.startswith(opdef.OWN_PREFIX)} - opdef.unlisted()
    try:
        registry = importlib.import_module("reflow.ops.registry").REGISTRY
    except ModuleNotFoundError:
        return Count(0, len(theirs))
    return Count(len(theirs & set(registry)), len(theirs))


def floor() -> dict[str, int]:
    return json.loads(FLOOR_FILE.read_text())


def update_floor(**counts: int) -> None:
    """Raises the floor; it never falls."""
    old = floor() if FLOOR_FILE.exists() else {}
    new = {name: max(count, old.get(name, 0)) for name, count in counts.items()}
    FLOOR_FILE.write_text(json.dumps(new) + "\n")
    print(f"floor: {old} -> {new}")


def page(root: Any, names: dict[str, dict[str, Any]], spaces: dict[str, Count], ops: Count, signatures: Count) -> str:
    """`docs/compatibility.md`."""
    rows = [f"| `{space}` | {c.present} | {c.total} | {c.present / c.total:.0%} |" for space, c in spaces.items()]
    missing: dict[str, list[str]] = collections.defaultdict(list)
    out = left_out()
    for name in names:
        if namespace(name) != "tf.raw_ops" and name not in out and not is_present(root, name):
            missing[namespace(name)].append(f"`{name}`")
    lists = [f"- **{space}**: {', '.join(found)}" for space, found in missing.items()]
    everything = total(spaces)
    return "\n".join(
        [
            "# Compatibility, counted",
            "",
            "<!-- Written by tools/api_report.py --page (`make api`): do not edit. -->",
            "",
            (
                f"Of TensorFlow 2.21's {everything.total} public names (Keras apart, which is Keras itself), "
                f"{everything.present} are"
            ),
            (
                f"present, and of its {ops.total} ops {ops.present}. Of the {signatures.total} functions and "
                "classes that are present,"
            ),
            f"{signatures.present} accept every call that TensorFlow's accept. A name that is missing says so:",
            "`TensorFlow has tf.x.y; Reflow does not yet.`",
            "",
            "## Names",
            "",
            "| namespace | present | of | |",
            "|---|---:|---:|---:|",
            *rows,
            "",
            "### Missing",
            "",
            (
                "Ops are not listed one by one: `tf.raw_ops` has those that are there, "
                "[ops-left-out.md](ops-left-out.md) those that stay out."
            ),
            f"Of the other names {len(out)} stay out, each with its reason: [names-left-out.md](names-left-out.md).",
            "",
            *lists,
            "",
            *measured.section(
                "Keras",
                "Of those that do not, `tools/data/keras_expected_failures.txt` says why ([how](keras-tests.md)).",
            ),
            *measured.section(
                "TensorFlow", "They are unit tests of its internals for the most part ([how](tensorflow-tests.md))."
            ),
        ]
    )


def badges(names: Count, ops: Count) -> dict[str, tuple[str, str]]:
    """The README's badges: file -> what is counted, and how much of it is there (rounded down)."""
    return {
        "names": ("TensorFlow's names", f"{100 * names.present // names.total}%"),
        "ops": ("TensorFlow's ops", f"{100 * ops.present // ops.total}%"),
        "keras": ("Keras' tests", measured.share("Keras")),
    }


def badge(label: str, said: str) -> str:
    """A small picture: a label, and what is said of it."""
    left, right = (svg.text_width(text, 11) + 12 for text in (label, said))
    canvas = svg.Canvas()
    canvas.box(0, 0, left, 20, "#52606d", round=0)
    canvas.box(left, 0, right, 20, "#2f77c0", round=0)
    for x, text in ((left / 2, label), (left + right / 2, said)):
        canvas.text(x, 14, text, 11, fill="#ffffff")
    return canvas.svg(margin=0)


def print_report(spaces: dict[str, Count], ops: Count, signatures: Count) -> None:
    rows = [*spaces.items(), ("all names", total(spaces)), ("same signature", signatures), ("ops", ops)]
    print(f"{'namespace':<22}{'present':>8}{'of':>7}{'':>7}")
    for space, count in rows:
        print(f"{space:<22}{count.present:>8}{count.total:>7}{count.present / count.total:>7.0%}")


def total(spaces: dict[str, Count]) -> Count:
    return Count(sum(c.present for c in spaces.values()), sum(c.total for c in spaces.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description="How much of TensorFlow 2.21's public surface Reflow has.")
    parser.add_argument("--missing", metavar="NAMESPACE", help="list the names that a namespace lacks")
    parser.add_argument("--signatures", metavar="NAMESPACE", help="list what takes other arguments than TensorFlow's")
    parser.add_argument("--update", action="store_true", help="raise the floor to today's counts")
    parser.add_argument("--page", action="store_true", help="write docs/compatibility.md")
    parser.add_argument("--record", metavar="JSON", type=Path, help="renew the list of names from this file")
    args = parser.parse_args()
    if args.record:
        record_names(args.record)
    names = recorded_names()
    reflow = importlib.import_module("reflow")
    if args.missing:
        inside = (n for n in names if n.startswith(args.missing + ".") and not is_present(reflow, n))
        print("\n".join(inside))
        return
    if args.signatures:
        print("\n".join(disagreements(reflow, names, args.signatures)))
        return
    spaces, ops = count_names(reflow, names), count_ops()
    signatures = count_signatures(reflow, names)
    print_report(spaces, ops, signatures)
    if args.page:
        PAGE.write_text(page(reflow, names, spaces, ops, signatures))
        for name, (label, said) in badges(total(spaces), ops).items():
            (BADGES / f"badge-{name}.svg").write_text(badge(label, said))
    if args.update:
        update_floor(names=total(spaces).present, ops=ops.present, signatures=signatures.present)


if __name__ == "__main__":
    main()
