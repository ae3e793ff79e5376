"""`tf.compat.v1`: the names that mean the same thing there as in TensorFlow 2.

`v1_names.json.gz` lists them; `tools/private_names.py` recorded it from TensorFlow 2.21. What version 1 does in another way is
exported where it is written, under its own `compat.v1.…` name. Loaded last, when everything else has its names.
"""

from __future__ import annotations

import gzip
import json
from importlib import resources

from reflow.api.export import TABLE, export_value


def _names() -> list[str]:
    return json.loads(gzip.decompress(resources.files(__package__).joinpath("v1_names.json.gz").read_bytes()))


for _name in _names():
    if _name in TABLE and f"compat.v1.{_name}" not in TABLE:
        export_value(TABLE[_name], f"compat.v1.{_name}")

export_value(TABLE["raw_ops"], "compat.v1.raw_ops")
export_value(TABLE["saved_model.load"], "compat.v1.saved_model.load_v2")
