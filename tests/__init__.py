"""The tests. What test files share is imported as a module of this package: `from tests.ops import numeric`."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"


def recorded(name: str) -> Any:
    """What `tests/golden/<name>.json` holds: recorded from real TensorFlow by a script of `tools/golden/`."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


_ORDERED = re.compile(r"OrderedDict\(\{([^{}]*)\}\)")
_WEAK = re.compile(r"(<weakref at \w+; to ')(?:\w+\.)+(\w+')")
_ITEM = re.compile(r"('\w+'): (\[[^]]*\]|\([^)]*\)|[^,]*)")


def as_python_311(text: str) -> str:
    """What Python 3.11, with which the values were recorded, prints for a text that a later Python made."""
    text = _ORDERED.sub(lambda found: "OrderedDict([" + _ITEM.sub(r"(\1, \2)", found[1]) + "])", text)
    text = _WEAK.sub(r"\1\2", text)  # 3.14 prints the whole name of the class
    return text.replace("missing a required keyword-only argument", "missing a required argument")
