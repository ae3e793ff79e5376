"""`tensorflow.python.framework.versions`: the version whose behaviour Reflow has."""

from reflow.core import version

VERSION = __version__ = version.TENSORFLOW
GIT_VERSION = __git_version__ = f"v{version.TENSORFLOW}"
COMPILER_VERSION = __compiler_version__ = "unknown"
GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER = 2474, 0, 0
