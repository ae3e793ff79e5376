# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.test.combinations`."""

from typing import TYPE_CHECKING

from reflow.core.namespaces import later

if TYPE_CHECKING:
    from reflow.compat.sessions.combinations import NamedObject as NamedObject
    from reflow.compat.sessions.combinations import OptionalParameter as OptionalParameter
    from reflow.compat.sessions.combinations import ParameterModifier as ParameterModifier
    from reflow.compat.sessions.combinations import TestCombination as TestCombination
    from reflow.compat.sessions.combinations import combine as combine
    from reflow.compat.sessions.combinations import generate as generate
    from reflow.compat.sessions.combinations import times as times

__getattr__ = later(__name__)

__all__ = [
    "NamedObject", "OptionalParameter", "ParameterModifier", "TestCombination", "combine", "generate", "times",
]
