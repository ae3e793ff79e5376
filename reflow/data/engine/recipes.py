"""How a dataset was created: its op, and how to repeat the same ops in another graph.

Each dataset keeps its *recipe*: the op that created it, with its operands and attributes. So it can be recreated by the
ops of a graph that is written to a file (`DatasetToGraph`) or sent to another process. Tables that its functions use
are included with their entries. What exists only in this process (a Python generator, a variable) cannot be recreated
elsewhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.api.call import call
from reflow.api.framework.core_names import control_dependencies
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.tensor import HostObject
from reflow.core.types import Attrs
from reflow.data.engine.older import Seeds
from reflow.data.engine.values import DatasetValue, Dummy, Function
from reflow.function.function import function
from reflow.graph.func_graph import FuncGraph
from reflow.lookup.tables import DenseTable, StaticTable, Table
from reflow.ops.convert import constant
from reflow.ops.record import Op

OUTPUT = "_Retval"  # the op by which TensorFlow marks what a graph of a dataset gives


class Recipe(NamedTuple):
    op: str
    operands: tuple
    attrs: Attrs


def remembering(record: Op) -> Callable:
    """The record's kernel, made to leave a recipe with the dataset.

    It takes all attributes, whichever of them the kernel wants.
    """
    kernel, wanted = record.kernel, record.kernel_attrs

    def make(xp: Any, *operands: Any, **attrs: Any) -> Any:
        made = kernel(xp, *operands, **(attrs if wanted is None else {k: v for k, v in attrs.items() if k in wanted}))
        if isinstance(made, (DatasetValue, Dummy)) and made.recipe is None:
            made.recipe = Recipe(record.name, operands, attrs)
        return made

    return make


def made_again(value: Any, made: dict[int, Any]) -> Any:
    """The tensor of a value, recreated by the same ops in the current graph.

    `made` holds those that already exist, by id.
    """
    if not isinstance(value, HostObject):
        return constant(value)
    if id(value) not in made:
        made[id(value)] = _made_again(value, functools.partial(made_again, made=made))
    return made[id(value)]


def _made_again(value: HostObject, again: Callable[[Any], Any]) -> Any:
    recipe = getattr(value, "recipe", None)
    if recipe is not None:
        flat = [
            item for operand in recipe.operands
            for item in (operand if isinstance(operand, (list, tuple)) else [operand])
        ]
        return call(recipe.op, [again(item) for item in flat], recipe.attrs)
    if isinstance(value, Seeds):
        numbers = [constant(number, dtypes.int64) for number in value.generator.seeds]
        return call("AnonymousSeedGenerator", (*numbers, constant(value.generator.fresh)))[0]
    if isinstance(value, Table):
        return _table_again(value)
    kind = "dataset of unknown origin" if isinstance(value, DatasetValue) else type(value).__name__
    raise errors.UnimplementedError(None, None, f"A pipeline that holds a {kind} cannot be sent to another process.")


def _table_again(value: Table) -> Any:
    """A new table with the entries that another one has now."""
    types = {"key_dtype": value.key_dtype, "value_dtype": value.value_dtype}
    shaped = types | {"value_shape": value.value_shape}
    if isinstance(value, StaticTable):
        table = call("AnonymousHashTable", (), types)
    elif isinstance(value, DenseTable):
        marks = [constant(key, value.key_dtype) for key in (value.empty_key, value.deleted_key)]
        sizes = {"initial_num_buckets": len(value.slots), "max_load_factor": value.load}
        table = call("AnonymousMutableDenseHashTable", marks, shaped | sizes)
    elif value.value_shape:
        table = call("AnonymousMutableHashTableOfTensors", (), shaped)
    else:
        table = call("AnonymousMutableHashTable", (), types)
    if not len(value):
        return table
    keys, values = value.export()
    if isinstance(value, DenseTable):  # exported as rows of buckets; a graph takes keys in one axis more than a key has
        keys, values = keys.reshape((len(keys), *value.key_shape)), values.reshape((len(keys), *value.value_shape))
    call("LookupTableImportV2", (table, constant(keys, value.key_dtype), constant(values, value.value_dtype)))
    with control_dependencies([state.graph.nodes[-1]]):
        return call("Identity", (table,))


def graph_of(dataset: DatasetValue) -> FuncGraph:
    """The graph of a function without arguments that makes the dataset."""
    return function(lambda: made_again(dataset, {}), input_signature=[]).get_concrete_function().graph


def serialized(dataset: DatasetValue, strip_devices: bool) -> bytes:
    """The GraphDef of ops that make the dataset, with a node that marks it."""
    graph = graph_of(dataset)
    proto = graph.as_graph_def()
    output = proto.node.add(name="dataset", op=OUTPUT, input=[graph.outputs[0].name.removesuffix(":0")])
    output.attr["T"].type, output.attr["index"].i = dtypes.variant.as_datatype_enum, 0
    if strip_devices:
        for node in (*proto.node, *(node for f in proto.library.function for node in f.node_def)):
            node.device = ""
    return proto.SerializeToString()


def deserialized(data: bytes, allow_unsafe: bool = True) -> DatasetValue:
    """The dataset of a GraphDef written by `serialized`.

    With `allow_unsafe` it may contain any op: it comes from the program.
    """
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    from reflow.graph.import_ import import_graph

    proto = GraphDef()
    try:
        proto.ParseFromString(data)
    except DecodeError:
        raise errors.InvalidArgumentError(None, None, "Could not parse GraphDef") from None
    outputs = [node for node in proto.node if node.op == OUTPUT]
    if not outputs:
        raise errors.NotFoundError(None, None, "FetchOutputs node : not found")
    name, _, index = outputs[-1].input[0].partition(":")
    for node in outputs:
        proto.node.remove(node)
    graph = FuncGraph("dataset_from_graph")
    nodes = import_graph(proto, graph, allow_unsafe=allow_unsafe).nodes
    if name not in nodes:
        raise errors.NotFoundError(None, None, f"FetchOutputs node {outputs[-1].input[0]}: not found")
    graph.outputs = [nodes[name].outputs[int(index or 0)]]
    return Function(graph, ())([])[0]
