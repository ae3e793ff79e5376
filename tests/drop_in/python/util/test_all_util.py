"""Which names of a module its docstring shows."""

import sys
import types

import pytest

from reflow.drop_in.python.util import all_util


def test_hidden_and_shown_again(monkeypatch):
    module = types.ModuleType("shown", "Names.\n\n@@a\n@@missing\n")
    module.a, module.b, module._c = 1, 2, 3
    monkeypatch.setitem(sys.modules, "shown", module)
    assert all_util.make_all("shown") == ["a"]
    all_util.remove_undocumented("shown")
    assert not hasattr(module, "b") and (module.a, module._c) == (1, 3)
    all_util.reveal_undocumented("shown.b")
    assert module.b == 2
    with pytest.raises(LookupError, match="not a hidden symbol"):
        all_util.reveal_undocumented("shown.d")
