"""The attack on files: good files of every format, damaged, and read in a child process with limits on time and memory.

Reading must end with a value or with an error of TensorFlow's classes that names the file. This module is both sides:
`attack` starts itself as the child (`main`), which writes a line for each file, as `worker.py` does for calls.
"""

from __future__ import annotations

import collections
import concurrent.futures
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tools.attack.children import answers, shared_out
from tools.attack.damage import damaged
from tools.attack.worker import is_plain, limit_memory, outcome, tell_where

MEMORY = 3 * 2**30
SECONDS = 10.0
ALLOWED = ("read", "refused")


def attack(folder: Path, args: Any) -> int:
    """Damage and read files; how many did what they may not."""
    counts: collections.Counter = collections.Counter()
    facts = {"seed": args.seed, "first": 0, "last": args.count // 4, "only": args.only, "seconds": SECONDS}
    print(f"seed {args.seed}: {facts['last']} damaged files", flush=True)

    def share(bounds: tuple[int, int]) -> list[dict[str, Any]]:
        first, last = bounds
        return list(answers([sys.executable, "-m", "tools.attack.files"], facts | {"first": first, "last": last}))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        shares = pool.map(share, shared_out(facts["last"], args.jobs))
        found = [answer for part in shares for answer in part]
    for answer in found:
        kind = answer["kind"] if "died" not in answer else "hang" if answer["died"] == "hang" else "crash"
        counts[kind] += 1
        if kind not in ALLOWED:
            print(f"{kind}: file {answer['case']}: {answer.get('words', '')[-300:]}", flush=True)
    print(dict(counts))
    return sum(counts.values()) - sum(counts[kind] for kind in ALLOWED)


def main() -> None:
    from tools.attack.formats import FORMATS

    facts = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    names = [n for n in FORMATS if n.startswith(tuple(facts["only"].split(",")))]
    with tempfile.TemporaryDirectory() as place:
        good = {name: _prepared(FORMATS[name], Path(place, name)) for name in names}
        limit_memory(MEMORY)
        tell_where()
        for number in range(facts["first"], facts["last"]):
            print(f"> {number}", file=out, flush=True)
            name = names[number % len(names)]
            answer = attempt(FORMATS[name], Path(place, name), good[name], [facts["seed"], number])
            print(json.dumps({"case": number, "format": name, **answer}), file=out, flush=True)


def _prepared(form: Any, folder: Path) -> list[tuple[Path, bytes]]:
    """Make a good file, and read it, so that what is loaded lazily is there."""
    folder.mkdir()
    paths = form.make(folder)
    form.read(folder)
    return [(path, path.read_bytes()) for path in paths]


def attempt(form: Any, folder: Path, good: list[tuple[Path, bytes]], seed: list[int]) -> dict[str, str]:
    """Read a file that is damaged as the seed says; the good one is put back."""
    draw = np.random.default_rng(seed)
    path, data = good[int(draw.integers(len(good)))]
    path.write_bytes(damaged(data, draw))
    try:
        found = outcome(lambda: form.read(folder))
    finally:
        path.write_bytes(data)
    if "error" not in found:
        return {"kind": "read"}
    words = f"{path.name}: {found['error']}: {found['words'][:300]}"
    if not is_plain(found) and found["error"] not in form.classes:
        return {"kind": "leaked", "words": words}
    if form.named and path.stem not in found["words"]:
        return {"kind": "unnamed", "words": words}
    return {"kind": "refused", "words": words}


if __name__ == "__main__":
    main()
