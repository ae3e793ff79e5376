"""`tf.version`: the version of TensorFlow that Reflow is compatible with."""

import sys

from reflow.api.export import export_value
from reflow.core import version

VERSION = export_value(version.TENSORFLOW, "version.VERSION", "compat.v1.VERSION")
__version__ = export_value(VERSION, "compat.v1.__version__")
GIT_VERSION = export_value(f"v{VERSION}-reflow", "version.GIT_VERSION", "compat.v1.GIT_VERSION")
COMPILER_VERSION = export_value(sys.version, "version.COMPILER_VERSION", "compat.v1.COMPILER_VERSION")
GRAPH_DEF_VERSION = export_value(2474, "version.GRAPH_DEF_VERSION", "compat.v1.GRAPH_DEF_VERSION")
GRAPH_DEF_VERSION_MIN_CONSUMER = export_value(
    0, "version.GRAPH_DEF_VERSION_MIN_CONSUMER", "compat.v1.GRAPH_DEF_VERSION_MIN_CONSUMER"
)
GRAPH_DEF_VERSION_MIN_PRODUCER = export_value(
    0, "version.GRAPH_DEF_VERSION_MIN_PRODUCER", "compat.v1.GRAPH_DEF_VERSION_MIN_PRODUCER"
)
