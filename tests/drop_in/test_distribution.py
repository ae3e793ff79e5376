"""The installed distribution "tensorflow", of which there is nothing but name and version."""

from reflow.core import version
from reflow.drop_in.distribution import Distribution


def test_name_and_version():
    distribution = Distribution()
    assert (distribution.version, distribution.metadata["Name"]) == (version.TENSORFLOW, "tensorflow")
    assert distribution.read_text("RECORD") is None and distribution.files is None
    assert distribution.locate_file("reflow").is_dir()
