"""What tests of checkpoints share: TensorFlow's recorded ones, and what is in a file."""

import types

from reflow.eager.module import Module
from reflow.eager.variables import Variable
from reflow.train import bundle, object_graph
from reflow.train.checkpoint import Checkpoint

TF = types.SimpleNamespace(Module=Module, Variable=Variable, train=types.SimpleNamespace(Checkpoint=Checkpoint))
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def graph_of(prefix) -> list[object_graph.ObjectNode]:
    return object_graph.parse(bundle.Reader(prefix).get(object_graph.OBJECT_GRAPH_KEY).item())


def keys_of(prefix) -> list[str]:
    return [key for key in bundle.Reader(prefix) if key != object_graph.OBJECT_GRAPH_KEY]
