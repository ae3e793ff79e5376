"""The tests. What test files share is imported as a module of this package: `from tests.ops import numeric`."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"


def recorded(name: str) -> Any:
    """What `tests/golden/<name>.json` holds: recorded from real TensorFlow by a script of `tools/golden/`."""
    return json.loads((GOLDEN / f"{name}.json").read_text())
