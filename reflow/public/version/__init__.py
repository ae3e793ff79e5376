# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.version`: the version of TensorFlow whose programs run here."""

from reflow.api.framework.version import COMPILER_VERSION as COMPILER_VERSION
from reflow.api.framework.version import GIT_VERSION as GIT_VERSION
from reflow.api.framework.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from reflow.api.framework.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from reflow.api.framework.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from reflow.api.framework.version import VERSION as VERSION
