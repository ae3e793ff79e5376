"""Where the inference engine's plans are in a SavedModel. A higher layer reads them; `reflow/loading.py` names it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

#: below the SavedModel's folder, where other loaders ignore them
PLANS = os.path.join("assets.extra", "reflow_engines")


class Plans:
    """`load()` imports the module that serves signatures from plans (`reflow/engine/served.py`)."""

    load: Callable[[], Any]


plans = Plans()
