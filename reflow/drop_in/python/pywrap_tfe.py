"""`tensorflow.python.pywrap_tfe`: facts about the runtime that libraries ask TensorFlow's C++ for."""

from __future__ import annotations


def TF_ListPluggablePhysicalDevices() -> list[bytes]:  # noqa: N802 - TensorFlow's name
    """The names of devices that a plug-in of TensorFlow brought: none, as plug-ins of its C++ runtime do not load here."""
    return []
