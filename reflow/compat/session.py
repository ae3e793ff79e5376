"""`tf.compat.v1.Session`: runs parts of a graph.

A session turns fetches and feeds into a function: the nodes that the fetches need become a `FuncGraph` whose inputs are
the fed tensors and the variables' handles. From there it runs like any function, interpreted first and compiled later;
the same fetches and feeds give the same function. Variables live in the session, as in TensorFlow: two sessions of one
graph have different values.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from typing import Any, NamedTuple

import numpy as np

from reflow.api.config import CPU_MEMORY, list_local_devices
from reflow.api.export import export
from reflow.api.framework.keras_hooks import is_mixed_precision_graph_rewrite_enabled, registered
from reflow.compat.behavior import get_default_graph
from reflow.compat.sessions.fetches import Fetches, components, needed_for, public_value
from reflow.compat.sessions.handles import TensorHandle
from reflow.compat.sessions.partial_runs import PartialRuns
from reflow.compat.sessions.programs import calls_maker, program_of
from reflow.core import dtypes, errors
from reflow.core.context import swapped
from reflow.core.resources import Handle, new_resource_name
from reflow.core.scope import Scope
from reflow.core.shapes import compatible
from reflow.core.tensor import EagerTensor
from reflow.devices import placement as devices
from reflow.devices.step import wake_all
from reflow.distribute.cluster_spec import ClusterSpec
from reflow.distribute.remote import reach, shared_handle, shared_resource
from reflow.distribute.remote_devices import function_of
from reflow.distribute.server import Server, ServerElsewhere, server_at, task_of
from reflow.graph import symbolic
from reflow.graph.graph import Graph, SymbolicTensor
from reflow.graph.node import Node
from reflow.ops import random_state
from reflow.ops.convert import convert_to_tensor
from reflow.ops.xp import host as host_xp
from reflow.queues.waiting import limited
from reflow.runtime.interpret import execution_error

MAX_PROGRAMS = 256  # combinations of fetches and feeds that a session remembers
_stack: list = []


@export("compat.v1.get_default_session")
def get_default_session():
    """Returns the innermost session whose `with` block is open.

    Returns:
      A session, or None if there is none.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.get_default_session() is session
    True
    """
    return _stack[-1] if _stack else None


symbolic.install_sessions(get_default_session)


def apply_config(config):
    """Hand on what a ConfigProto says about devices."""
    if config.gpu_options.allow_growth and not devices.started():
        for gpu in devices.physical_devices("GPU"):
            devices.settings.memory_growth[gpu] = True


def _fed(value: Any, dtype: dtypes.DType) -> Any:
    """The value of a feed as NumPy converts it, so a fraction that is fed to an integer loses its fraction."""
    if not (dtype.is_floating or dtype.is_integer or dtype.is_bool or dtype.is_complex):
        with swapped(graph=None):
            return convert_to_tensor(value, dtype)._host()
    array = np.array(value, order="C").astype(dtype.np_dtype, copy=False)
    if isinstance(value, int) and array != value:
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
        )
    return array


class _DeviceAttributes(NamedTuple):
    """A device of a session."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return f"_DeviceAttributes({', '.join(map(str, self))})"


def _cpu(name: str) -> _DeviceAttributes:
    return _DeviceAttributes(name, "CPU", CPU_MEMORY, hash(name) % 2**64)


#: a switch of RewriterConfig
_ON = 1


class BaseSession:
    """What `Session` and `InteractiveSession` share."""

    def __init__(self, target="", graph=None, config=None):
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._server = None if not target else server_at(target)
        self._graph = graph if graph is not None else get_default_graph()
        self._config = config
        self.cpus = max(1, 0 if config is None else config.device_count["CPU"])  # all of them are the host
        self._closed = False
        self._handles: dict = {} if self._server is None else self._server.variables
        self._streams: dict = {}
        self._resources: dict = {}
        self._programs: dict = {}
        self._known_fetches: dict = {}
        self._placed: set = set()
        self._building = threading.RLock()
        self._partial_runs = PartialRuns(self)
        self.cancelled = False  # what waits in this session gives up
        self._patience = 0 if config is None else config.operation_timeout_in_ms
        if config is not None:
            apply_config(config)
        rewritten = config is not None and config.graph_options.rewrite_options.auto_mixed_precision == _ON
        if not rewritten and not is_mixed_precision_graph_rewrite_enabled():
            registered["session_without_rewrite"] = True

    @property
    def _cluster(self) -> Any:
        """The cluster that the configuration describes, if it does."""
        return None if self._config is None or not self._config.HasField("cluster_def") else self._config.cluster_def

    graph = property(lambda self: self._graph)
    graph_def = property(lambda self: self._graph.as_graph_def())
    sess_str = property(lambda self: b"")

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of `fetches` (a tensor, operation or variable, a name, or a structure of them).

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [2])
        ...     y = x * 3.0
        ...     with tf.compat.v1.Session() as session:
        ...         session.run(y, {x: [1.0, 2.0]}).tolist()
        [3.0, 6.0]
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        pairs = self.feeds(feed_dict) if feed_dict else []
        wanted = self._wanted(fetches)
        tensors = [t for t, _ in pairs]
        plain = options is None and run_metadata is None
        key = (wanted.key, tuple([t._id for t in tensors]))
        program = self._programs.get(key) or self._program(key, wanted.flat, tensors)
        values = [v for _, v in pairs]
        try:
            if program.may_wait or not plain or self.cpus > 1:
                patience = self._patience if options is None else options.timeout_in_ms or self._patience
                with limited(patience, self):
                    results = program.run(values) if plain else program.run_with(values, options, run_metadata)
            else:
                results = program.run(values)
        except errors.OpError as error:
            error._op = self._original(error.op, program)
            raise
        return wanted.pack([public_value(v) for v in results], self)

    def _original(self, node: Any, program: Any) -> Any:
        """The node of this session's graph of which a program's node is a copy; of other graphs the node itself."""
        if node is None or node.graph is not program.graph:
            return node
        return next((mine for mine in self._graph.get_operations() if mine.name == node.name), None)

    def _wanted(self, fetches) -> Fetches:
        """The fetches. Tensors, operations and lists of them are analysed once.

        A training step fetches the same repeatedly.
        """
        many = type(fetches) is list
        items = tuple(fetches) if many else (fetches,)
        if self._graph._unfetchable or not all([type(item) is SymbolicTensor or type(item) is Node for item in items]):
            return Fetches(self._graph, fetches)
        key = many, tuple(map(id, items))
        known = self._known_fetches.get(key)
        if known is None:
            if len(self._known_fetches) >= MAX_PROGRAMS:
                self._known_fetches.clear()
            # the items stay alive, and so their ids theirs
            known = self._known_fetches[key] = Fetches(self._graph, fetches), items
        return known[0]

    def _program(self, key, fetches, feeds):
        with self._building:
            if key not in self._programs:
                self._log_placement(fetches, feeds)
                program = program_of(self, fetches, feeds)
                if len(self._programs) >= MAX_PROGRAMS:
                    del self._programs[next(iter(self._programs))]
                self._programs[key] = program
            return self._programs[key]

    def partial_run_setup(self, fetches, feeds=None) -> str:
        """Announce a run in several steps: everything that `partial_run` will fetch and feed. Returns its handle."""
        return self._partial_runs.begin(fetches, feeds or [])

    def partial_run(self, handle, fetches, feed_dict=None):
        """The values of some of the fetches, from what was fed up to now; what was computed in earlier steps is not
        computed again.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     a, b = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])
        ...     r = a + 1.0
        ...     q = r * b
        ...     handle = session.partial_run_setup([r, q], [a, b])
        ...     first = session.partial_run(handle, r, feed_dict={a: 1.0})
        ...     session.partial_run(handle, q, feed_dict={b: first * 5.0}).item()
        20.0
        """
        return self._partial_runs.step(handle, fetches, feed_dict or {})

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of the values for `feed_list` that returns `fetches`."""

        def call(*values, options=None, run_metadata=None):
            return self.run(fetches, dict(zip(feed_list or [], values, strict=True)), options, run_metadata)

        return call

    def _make_callable_from_options(self, callable_options):
        """A function of the values for the tensors that a CallableOptions message says are fed.

        Keras 2 trains graphs with it.
        """
        feeds, fetches = list(callable_options.feed), list(callable_options.fetch) + list(callable_options.target)
        connected = {c.to_tensor: c.from_tensor for c in callable_options.tensor_connection}

        def call(*values, run_metadata=None):
            given = dict(zip(feeds, values, strict=True))
            if connected:
                given |= dict(zip(connected, self.run(list(connected.values()), given), strict=True))
            options = callable_options.run_options if callable_options.HasField("run_options") else None
            return self.run(fetches, given, options, run_metadata)[: len(callable_options.fetch)]

        return call

    def handle(self, node) -> Handle:
        """The variable of a handle's node, in this session."""
        name = node.attrs.get("shared_name") or node.name
        server, container = self._server_of(node)
        if isinstance(server, str):
            reach(server)
            return shared_handle(server, container, name, node.attrs["dtype"], node.attrs["shape"])
        kept = self._handles if server is None else server.variables
        key = container, name
        if key not in kept:
            kept[key] = Handle(node.attrs["dtype"], node.attrs["shape"], name)
        return kept[key]

    def _server_of(self, node) -> tuple[Server | str | None, str]:
        """The server that keeps the resource of a node, and in which container: that of its device, or the session's
        own; the address of one in another process; None outside of a cluster. A container is called after the job if it
        has no name."""
        container = node.attrs.get("container") or ""
        if self._server is None:
            return None, container
        spec = devices.DeviceSpec.from_string(node.device or "")
        container = container or spec.job or self._server.server_def.job_name
        if spec.job:
            return task_of(self._server, spec.job, spec.task or 0, self._cluster), container
        return self._server.address if isinstance(self._server, ServerElsewhere) else self._server, container

    def resource(self, node):
        """The queue, table or iterator that a node makes, in this session: made once."""
        if node not in self._resources:
            values = [
                np.asarray(v, t._dtype.np_dtype) for v, t in zip(self.run(list(node.inputs)), node.inputs, strict=True)
            ]
            try:
                with swapped(session=self):
                    self._resources[node] = self._made(node, values)
            except errors.OpError as error:
                raise type(error)(node.node_def, node, execution_error(node, error._message)) from error
        return self._resources[node]

    def _made(self, node, values: list) -> Any:
        """A resource, here or in the process that its node's device names. Those of a server are shared by all its
        sessions: by their nodes' names if they have no other. What a function makes, and iterators, whose datasets
        cannot travel, have no such names: they are here."""
        if calls_maker(node):
            return node.attrs["f"].run(values)[0]
        own = {key: value for key, value in node.attrs.items() if not key.startswith("_")}
        server, container = self._server_of(node)
        if server is None or "output_types" in own and not own.get("shared_name"):
            own |= {
                "container": f"session-{id(self)}/{container}",
                "shared_name": own.get("shared_name") or new_resource_name(node.name),
            }
            return node.record.call(host_xp, values, own)
        address = server if isinstance(server, str) else server.target.removeprefix("grpc://")
        place = re.sub("[^A-Za-z0-9.]", "-", address)
        own |= {"container": f"server-{place}/{container}", "shared_name": own.get("shared_name") or node.name}
        if isinstance(server, str):
            reach(server)
            return shared_resource(
                server, container, own["shared_name"], function_of(node.record, node.inputs, own), values
            )
        return server.keep(container, own["shared_name"], node.record.call(host_xp, values, own))

    def stream(self, node):
        """The state of a random op, in this session."""
        if node not in self._streams:
            self._streams[node] = random_state.node_cell(node.attrs)
        return self._streams[node]

    def feeds(self, feed_dict) -> list:
        """Fed tensors with their values, as arrays."""
        pairs = []
        for key, value in feed_dict.items():
            parts = components(key, value)
            for tensor, part in parts:
                pairs.append(self._feed(tensor, part))
        return pairs

    def _feed(self, key, value):
        plain = (
            type(value) is np.ndarray and type(key) is SymbolicTensor and key._graph is self._graph
            and not self._graph._unfeedable
        )
        if (
            plain and value.dtype == key._dtype.np_dtype and value.dtype.kind in "fiub"
            and compatible(key._dims, value.shape)
        ):
            # nothing to convert; a copy, since the caller may write to the array
            return key, np.array(value, order="C")
        try:
            tensor = self.graph.as_graph_element(key, allow_operation=False)
        except (KeyError, ValueError, TypeError) as error:
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from error
        value = value.eval() if isinstance(value, TensorHandle) and tensor._dtype is not dtypes.string else value
        value = value.handle if isinstance(value, TensorHandle) else value
        if isinstance(value, (SymbolicTensor, EagerTensor)):
            raise TypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, "
                f"strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which "
                f"was passed to the argument `feed_dict` with key {key}."
            )
        if not self.graph.is_feedable(tensor):
            raise ValueError(f"Tensor {tensor} may not be fed.")
        array = _fed(value, tensor._dtype)
        if not compatible(tensor._dims, array.shape):
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
            )
        return tensor, array

    def _log_placement(self, fetches, feeds):
        """Log one line for each node that runs for the first time, if the configuration asks for it."""
        soft = self._config is not None and self._config.allow_soft_placement
        needed = needed_for(fetches, {t._id for t in feeds})
        for node in self.graph.nodes:
            if node in self._placed or node not in needed:
                continue
            self._placed.add(node)
            wanted = node.device or ""
            if wanted:
                self._check_device(node, wanted, soft)
            if self._config is not None and self._config.log_device_placement:
                print(f"{node.name}: ({node.type}): {devices.full_name(wanted)}", file=sys.stderr)

    def _check_device(self, node, wanted, soft):
        spec = devices.DeviceSpec.from_string(wanted)
        in_cluster = self._server is not None and spec.job and spec.device_type in (None, "CPU")
        if in_cluster and self._server_of(node) is not None:
            return
        here = spec.job in (None, "localhost") and not spec.replica and not spec.task
        kind = f"/device:{spec.device_type}:{spec.device_index or 0}"
        if here and (soft or spec.device_type is None or kind in devices.places().all):
            return
        if here and spec.device_type == "CPU" and (spec.device_index or 0) < self.cpus:
            return
        names = ", ".join(devices.LOCAL + d.name for d in devices.logical_devices())
        gpu = " The requested device appears to be a GPU, but CUDA is not enabled." if spec.device_type == "GPU" else ""
        words = (
            f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was explicitly assigned to "
            f"{wanted} but available devices are [ {names} ]. Make sure the device specification "
            f"refers to a valid device.{gpu}"
        )
        raise errors.InvalidArgumentError(node.node_def, node, execution_error(node, words))

    def list_devices(self) -> list:
        """The devices that this session may use: name, device_type, memory_limit_bytes and incarnation of each. Those
        of a cluster's other processes are named by their first CPU."""
        if self._server is None:
            local = [
                _DeviceAttributes(devices.LOCAL + d.name, d.device_type, d.memory_limit, d.incarnation)
                for d in list_local_devices()
            ]
            there = {device.name for device in local}
            more = [f"{devices.LOCAL}/device:CPU:{i}" for i in range(self.cpus)]
            return local + [_cpu(name) for name in more if name not in there]
        cluster = ClusterSpec(self._server.server_def.cluster if self._cluster is None else self._cluster)
        names = [
            f"/job:{job}/replica:0/task:{task}/device:CPU:0" for job in cluster.jobs
            for task in cluster.task_indices(job)
        ]
        return [_cpu(name) for name in names]

    def close(self):
        """Let go of the variables and queues; what waits for an element gives up."""
        self._closed = self.cancelled = True
        if self._resources:
            wake_all()
        self._resources.clear()
        if self._server is None:
            self._handles.clear()
        self._programs.clear()
        self._known_fetches.clear()

    def as_default(self):
        """Make this the session that `eval` and `run` use."""
        return _AsDefault(self)


class _AsDefault(Scope):
    """A `with` block in which a session is the default one."""

    def __init__(self, session):
        super().__init__()
        self._session = session

    def _prepare(self):
        return self._session

    def _apply(self, entry):
        _stack.append(entry)
        return entry

    def _undo(self, entry, late):
        if entry in _stack:
            _stack.remove(entry)


@export("compat.v1.Session")
class Session(BaseSession, Scope):
    """Runs operations of a graph; a context manager in which it is the default session and its graph the default graph.

    Args:
      target: The address of a server that runs them; this process by default.
      graph: The graph; the default one if it is missing.
      config: A `tf.compat.v1.ConfigProto`.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     y = x * x
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     session.run(y, feed_dict={x: 3.0}).item()
    9.0
    """

    def __init__(self, target="", graph=None, config=None):
        BaseSession.__init__(self, target, graph, config)
        Scope.__init__(self)

    def _prepare(self):
        return self.graph.as_default(), self.as_default()

    def _apply(self, entry):
        for scope in entry:
            scope.__enter__()
        return self

    def _undo(self, entry, late):
        for scope in reversed(entry):
            scope._leave_all(late)
        self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        """Clear the variables of a server, which its sessions share: those in some containers, by default all."""
        server_at(target).reset([*(containers or ())])


@export("compat.v1.InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default one from its creation until it is closed.

    Args:
      target: The address of a server that runs operations; this process by default.
      graph: The graph; the default one if it is missing.
      config: A `tf.compat.v1.ConfigProto`.

    >>> with tf.Graph().as_default():
    ...     session = tf.compat.v1.InteractiveSession()
    ...     x = tf.constant([1.0, 2.0])
    ...     x.eval().tolist()
    ...     session.close()
    [1.0, 2.0]
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._open = contextlib.ExitStack()
        if graph is not None:
            self._open.enter_context(graph.as_default())
        self._open.enter_context(self.as_default())

    def close(self):
        super().close()
        self._open.close()
