"""Where the inference engine's plans lie beside a SavedModel, and who reads them: a layer above, which `reflow/loading.py` names."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

#: below the SavedModel's folder, in a place that loaders leave alone
PLANS = os.path.join("assets.extra", "reflow_engines")


class Plans:
    """`load()` imports what serves signatures by plans (`reflow/engine/served.py`)."""

    load: Callable[[], Any]


plans = Plans()
