"""`tests/golden/manifest.json`: by which script, and by which TensorFlow, each recorded file was made.

An entry for each script:

    "array": {
      "script": "tools/golden/array.py",
      "sha256": hash of the script,
      "tensorflow": "2.21.0", "keras": …, "numpy": …,
      "files": {"tests/golden/array.json": hash of the file, …}
    }

A recording that was edited by hand, or one whose script has changed since, does not match (`problems`).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests import GOLDEN, ROOT
from tests.expressions import PATTERNS

FILE = GOLDEN / "manifest.json"

#: script -> the files that it writes (`**`: a folder and all below it)
FILES: dict[str, tuple[str, ...]] = {
    "array": ("tests/golden/array.json",),
    "bundle": ("tests/golden/bundle/**",),
    "checkpoint": ("tests/golden/checkpoint/**",),
    "control_flow": ("tests/golden/control_flow.json",),
    "data": ("tests/golden/data/pipelines.json",),
    "distribute": ("tests/distribute/programs/*.txt",),
    "expressions": PATTERNS,
    "files": ("tests/golden/files/**",),
    "frames": ("tests/golden/frames/**",),
    "function_programs": ("tests/golden/function_programs.json",),
    "function_texts": ("tests/golden/function_texts.json",),
    "graph_defs": ("tests/golden/graph_defs/**",),
    "image": ("tests/golden/image.json", "tests/golden/image.npz"),
    "jit_programs": ("tests/golden/jit_programs.json",),
    "keras2_folders": ("tests/golden/keras2_folders/**",),
    "keras_applications": ("tests/golden/keras_applications.json",),
    "keras_curves": ("tests/golden/keras_curves.json",),
    "keras_features": ("tests/golden/keras_features.json",),
    "keras_files": ("tests/golden/keras_files/**",),
    "keras_programs": ("tests/golden/keras_programs.json",),
    "nn": ("tests/golden/nn.npz",),
    "ops": ("tests/golden/ops.json", "tests/golden/ops.npz"),
    "random_ops": ("tests/golden/random.npz",),
    "refused_shapes": ("tests/golden/refused_shapes.json",),
    "saved_datasets": ("tests/golden/saved_datasets/**",),
    "saved_gradients": ("tests/golden/saved_gradients/**",),
    "saved_model": ("tests/golden/saved_model/**",),
    "saved_tables": ("tests/golden/saved_tables/**", "tests/golden/saved_text_table/**"),
    "shape_texts": ("tests/golden/shape_texts.json",),
    "shapes": ("tests/golden/shapes.json",),
    "slice_files": ("tests/golden/slice_files/**",),
    "upgrade": ("reflow/upgrade/facts.json.gz", "tests/golden/upgrade.json"),
    "version_one": ("tests/golden/version_one/**",),
    "v1_session": ("tests/compat/v1_program.txt", "tests/compat/v1_programs.txt"),
}
#: scripts whose files Reflow writes, too, and TensorFlow then reads; where a folder is named, Reflow's files are kept
#: and tested as well
BOTH_WAYS: dict[str, Path | None] = {
    "bundle": None,
    "checkpoint": None,
    "graph_defs": GOLDEN / "graph_defs" / "reflow",
    "keras_files": None,
    "saved_datasets": None,
    "saved_gradients": None,
    "saved_model": GOLDEN / "saved_model" / "reflow",
    "saved_tables": None,
    "slice_files": None,
    "version_one": None,
}


def script_of(name: str) -> Path:
    return ROOT / "tools" / "golden" / f"{name}.py"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def files_of(name: str) -> dict[str, str]:
    """The files of a script as they are now, and their hashes."""
    found = {path for pattern in FILES[name] for path in ROOT.glob(_everything(pattern)) if path.is_file()}
    return {relative(path): digest(path) for path in sorted(found)}


def _everything(pattern: str) -> str:
    """A pattern for `Path.glob`, whose `**` finds folders only."""
    return pattern + "/*" if pattern.endswith("**") else pattern


def load() -> dict[str, Any]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def note(name: str, versions: dict[str, str]) -> list[str]:
    """Note what a script has just recorded. Returns the files that are new, changed or gone."""
    entries = load()
    before, now = entries.get(name, {}).get("files", {}), files_of(name)
    script = script_of(name)
    entries[name] = {"script": relative(script), "sha256": digest(script), **versions, "files": now}
    FILE.write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n")
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


def problems() -> list[str]:
    """Where recordings, scripts and manifest do not fit together: a sentence for each."""
    entries, out = load(), []
    scripts = {path.stem for path in script_of("").parent.glob("*.py")} - {"__init__", "__main__", "manifest"}
    out += [
        f"tools/golden/{name}.py records files that manifest.FILES does not name"
        for name in sorted(scripts - FILES.keys())
    ]
    out += [f"there is no script tools/golden/{name}.py" for name in sorted(FILES.keys() - scripts)]
    out += [f"{name} is in the manifest, but not in manifest.FILES" for name in sorted(entries.keys() - FILES.keys())]
    again = "run `make golden ONLY={}`".format
    for name in sorted(FILES.keys() & scripts):
        entry = entries.get(name, {"files": {}, "sha256": ""})
        now = files_of(name)
        if entry["sha256"] != digest(script_of(name)):
            out.append(f"tools/golden/{name}.py has changed since it recorded: {again(name)}")
        for path in sorted(now.keys() | entry["files"].keys()):
            if now.get(path) != entry["files"].get(path):
                out.append(f"{path} is not as tools/golden/{name}.py recorded it: {again(name)}")
    known = {path for name in FILES for path in files_of(name)} | {relative(FILE)}
    stray = sorted(relative(path) for path in GOLDEN.rglob("*") if path.is_file() and relative(path) not in known)
    return out + [f"no script records {path}" for path in stray]
