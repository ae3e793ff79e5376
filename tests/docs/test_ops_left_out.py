"""`docs/ops-left-out.md`: the ops that it names exist in TensorFlow, once each, and not here; all others are here."""

import re

from reflow.ops import opdef
from reflow.ops.registry import REGISTRY
from tests import ROOT

NAMES = re.findall(r"`(\w+)`[,.]", (ROOT / "docs" / "ops-left-out.md").read_text())


def test_ops_that_stay_out():
    assert len(NAMES) > 200 and len(set(NAMES)) == len(NAMES)
    assert set(NAMES) <= set(opdef.names())
    assert not [name for name in NAMES if name in REGISTRY]
    assert not [name for name in opdef.names() if name not in REGISTRY and name not in NAMES]
