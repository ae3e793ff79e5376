"""The installed distribution "tensorflow", which consists only of a name and a version."""

import importlib.metadata
import pathlib

from reflow.core import version


class Distribution(importlib.metadata.Distribution):
    """Answers `importlib.metadata.version("tensorflow")`."""

    def read_text(self, filename):
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {version.TENSORFLOW}\n"

    def locate_file(self, path):
        return pathlib.Path(__file__).parents[2] / path
