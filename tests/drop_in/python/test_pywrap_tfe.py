"""Facts about the runtime."""

from reflow.drop_in.python import pywrap_tfe


def test_there_are_no_pluggable_devices():
    assert pywrap_tfe.TF_ListPluggablePhysicalDevices() == []
