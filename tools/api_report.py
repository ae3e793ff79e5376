"""How much of TensorFlow 2.21's public surface Reflow has (`make api`).

    python tools/api_report.py            # the table
    python tools/api_report.py --missing tf.math     # names that a namespace still lacks
    python tools/api_report.py --update   # raises the floor in tools/data/api_floor.json to today's counts
    python tools/api_report.py --record path/to/tensorflow-2.21.json    # renews the list of names

A *name* is present if `getattr` finds it, step by step, from the `reflow` package: nothing else is imported.
An *op* is present if `reflow.ops.registry.REGISTRY` has it once `reflow` is imported.
`tests/test_api_counts.py` keeps both counts from falling below the *floor*.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import importlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parent / "data"
NAMES_FILE = DATA / "tensorflow-2.21-names.json.gz"
FLOOR_FILE = DATA / "api_floor.json"

sys.path.insert(0, str(Path(__file__).parent.parent))


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


def is_present(root: Any, name: str) -> bool:
    """Whether `tf.a.b` resolves with `tf` standing for `root`."""
    value = root
    for part in name.split(".")[1:]:
        try:
            value = getattr(value, part)
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


def count_ops() -> Count:
    """Ops of TensorFlow's that have a record. Ops of our own (`Reflow>…`) do not count."""
    from reflow.ops import opdef

    theirs = {name for name in opdef.names() if not name.startswith(opdef.OWN_PREFIX)}
    try:
        registry = importlib.import_module("reflow.ops.registry").REGISTRY
    except ModuleNotFoundError:
        return Count(0, len(theirs))
    return Count(len(theirs & set(registry)), len(theirs))


def floor() -> dict[str, int]:
    return json.loads(FLOOR_FILE.read_text())


def update_floor(names: int, ops: int) -> None:
    """Raises the floor; it never falls."""
    old = floor() if FLOOR_FILE.exists() else {"names": 0, "ops": 0}
    new = {"names": max(names, old["names"]), "ops": max(ops, old["ops"])}
    FLOOR_FILE.write_text(json.dumps(new) + "\n")
    print(f"floor: {old} -> {new}")


def print_report(spaces: dict[str, Count], ops: Count) -> None:
    rows = [*spaces.items(), ("all names", total(spaces)), ("ops", ops)]
    print(f"{'namespace':<22}{'present':>8}{'of':>7}{'':>7}")
    for space, count in rows:
        print(f"{space:<22}{count.present:>8}{count.total:>7}{count.present / count.total:>7.0%}")


def total(spaces: dict[str, Count]) -> Count:
    return Count(sum(c.present for c in spaces.values()), sum(c.total for c in spaces.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description="How much of TensorFlow 2.21's public surface Reflow has.")
    parser.add_argument("--missing", metavar="NAMESPACE", help="list the names that a namespace lacks")
    parser.add_argument("--update", action="store_true", help="raise the floor to today's counts")
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
    spaces, ops = count_names(reflow, names), count_ops()
    print_report(spaces, ops)
    if args.update:
        update_floor(total(spaces).present, ops.present)


if __name__ == "__main__":
    main()
