"""Values and functions of other processes: the requests that `tf.distribute.Server` answers, and how they are sent.

A request names one function, or one op on a variable of the server, with its arguments. Tensors and functions are sent
as TensorFlow's protos (`TensorProto`, `FunctionDefLibrary`); a resource is sent as a `Reference`, the address of its
server and its key there. A function is sent once to each server and referred to by name afterwards.

A server listens only on the address that it is given. It trusts every client that can connect: bind it to loopback or
to a private network.

grpc is imported when the first request is made or answered: it takes 30 ms, a twelfth of what Keras takes, and every
session imports this module.
"""

from __future__ import annotations

import concurrent.futures
import functools
import json
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto import function_pb2, tensor_pb2, tensor_shape_pb2

from reflow.core import dtypes, errors
from reflow.core.context import new_id, state
from reflow.core.resources import Cell, Handle
from reflow.core.tensor import HostObject
from reflow.devices.step import wake_all
from reflow.graph.derived import derived
from reflow.graph.export import Exporter
from reflow.graph.import_ import Library
from reflow.graph.proto_values import decode_dtype, decode_shape, decode_tensor, encode_shape, encode_tensor
from reflow.io.messages import define
from reflow.ops import registry
from reflow.ops.xp import host as host_xp
from reflow.queues.waiting import WaitingRoom, limited, patience

METHOD = "/reflow.Server/Run"
#: seconds for which a server is waited for that has not started yet
PATIENCE = 60.0
#: requests that a server answers at a time. Each has a thread, which is made when it is needed; one that waits at a
#: queue keeps it.
THREADS = 1000
#: grpc's own limit of 4 MB is too small for a layer's weights
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)]

_messages = define(
    "remote.proto",
    [function_pb2, tensor_pb2, tensor_shape_pb2],
    {
        "Reference": [
            (1, "string", "address"), (2, "string", "key"), (3, "int32", "dtype"),
            (4, ".tensorboard.TensorShapeProto", "shape"),
        ],
        "RemoteArgument": [(1, ".tensorboard.TensorProto", "tensor"), (2, ".reflow.Reference", "reference")],
        "RemoteRequest": [
            (1, "string", "op"), (2, "string", "function"), (3, ".tensorboard.FunctionDefLibrary", "library"),
            (4, "string", "attributes"), (5, "repeated .reflow.RemoteArgument", "arguments"), (6, "string", "keep"),
            (7, "string", "about"),
        ],
        "RemoteReply": [
            (1, "int32", "code"),
            (2, "string", "message"),
            (3, "repeated .reflow.RemoteArgument", "results"),
        ],
    },
)
Reference, Argument = _messages["Reference"], _messages["RemoteArgument"]
Request, Reply = _messages["RemoteRequest"], _messages["RemoteReply"]
CLASSES = {
    kind.code: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.OpError)
}
SESSIONS = "sessions"  # begins the keys of variables that sessions of version 1 share: container and name follow
DEFINITION, RESET = "definition", "reset"  # requests about the server itself
UNKNOWN_FUNCTION = "Reflow does not know the function"


class RemoteResource(HostObject):
    """A resource of another process other than a variable: an iterator, a queue, an accumulator."""

    tensor_dtype = dtypes.resource
    remote = True

    def __init__(self, address: str, key: str):
        self.address, self.key = address, key

    def run(self, graph: Any, arguments: Sequence[Any]) -> list:
        """Run a function where the resource is, which is one of its arguments. It may wait there for others."""
        return shipped(graph).run(self.address, arguments)


class RemoteCell(Cell):
    """The slot of a variable that another process has: programs of this process read and store through it."""

    __slots__ = ("handle",)

    def __init__(self, handle: RemoteHandle):
        self.handle = handle

    buf = property(lambda self: self.handle.read(), lambda self, value: self.handle.write(value))  # type: ignore[assignment]


class RemoteHandle(Handle):
    """The handle of a variable that another process has.

    Reading and writing are requests; what reads and writes is one request.
    """

    __slots__ = ("address", "key")
    remote = True

    def __init__(self, dtype, dims, name: str, address: str, key: str):
        super().__init__(dtype, dims, name, RemoteCell(self))
        self.address, self.key = address, key

    def read(self) -> np.ndarray:
        return self.forward("ReadVariableOp")[0]

    def write(self, value) -> None:
        self.forward("AssignVariableOp", value)

    def forward(self, op: str, *values, **attributes) -> list:
        """Run an op on the variable, where it is. Types among its attributes follow from the values."""
        attributes = {name: value for name, value in attributes.items() if isinstance(value, (bool, int, float, str))}
        return call(self.address, op=op, attributes=json.dumps(attributes), arguments=[self, *values])


def shared_key(container: str, name: str) -> str:
    """The key of a resource that the sessions of a server share."""
    return "\n".join((SESSIONS, container, name))


def shared_handle(address: str, container: str, name: str, dtype, dims) -> RemoteHandle:
    """The handle of a variable that the sessions of a server share."""
    return RemoteHandle(dtype, dims, name, address, shared_key(container, name))


def shared_resource(address: str, container: str, name: str, maker: Any, values: Sequence[Any]) -> RemoteResource:
    """A resource, other than a variable, that the sessions of a server share.

    `maker` creates it if it does not exist.
    """
    key = shared_key(container, name)
    shipped(maker).run(address, values, keep=key)
    return RemoteResource(address, key)


# --- asking -----------------------------------------------------------------------------------------------------------


@functools.cache
def _channel(address: str):
    import grpc

    channel = grpc.insecure_channel(address, options=OPTIONS)
    return channel.unary_unary(METHOD, Request.SerializeToString, Reply.FromString)


def encode(value: Any):
    """An argument or a result as it travels."""
    if isinstance(value, RemoteHandle):
        shape = encode_shape(value.dims)
        return Argument(reference=Reference(address=value.address, key=value.key, dtype=value.dtype.enum, shape=shape))
    if isinstance(value, RemoteResource):
        return Argument(reference=Reference(address=value.address, key=value.key))
    if isinstance(value, HostObject):
        raise errors.UnimplementedError(None, None, f"A {type(value).__name__} cannot travel to another process.")
    return Argument(tensor=encode_tensor(np.asarray(value)))


def decode(argument) -> Any:
    """What `encode` encoded, in another process."""
    if not argument.HasField("reference"):
        return decode_tensor(argument.tensor)
    found = argument.reference
    if not found.dtype:
        return RemoteResource(found.address, found.key)
    return RemoteHandle(decode_dtype(found.dtype), decode_shape(found.shape), found.key, found.address, found.key)


def call(address: str, arguments=(), timeout: float | None = None, patient: bool = False, **fields) -> list:
    """The results of a request. `patient` waits for a server that is not there yet, until the time is over.

    Raises:
      UnavailableError: if there is no reply from the address.
      DeadlineExceededError: if the time is over that the session's run may take.
      OpError: what the other process raised.
    """
    import grpc

    request = Request(arguments=[encode(value) for value in arguments], **fields)
    try:
        if patience.session is None:
            reply = _channel(address)(request, timeout=timeout, wait_for_ready=patient)
        else:
            reply = _patiently(_channel(address).future(request, timeout=timeout, wait_for_ready=patient))
    except grpc.RpcError as error:
        raise errors.UnavailableError(
            None, None, f"The server at {address} does not answer: {error.details()}"
        ) from None
    if reply.code:
        raise CLASSES.get(reply.code, errors.UnknownError)(None, None, reply.message)
    return [decode(result) for result in reply.results]


def _patiently(asked: Any) -> Any:
    """The reply to a request, which is given up with the run of the session that made it."""
    room = WaitingRoom("reply")
    asked.add_done_callback(lambda _: room.wake())
    try:
        with room.changed:
            room.wait(deque(), asked.done, "Operation was cancelled")
    except BaseException:
        asked.cancel()
        raise
    return asked.result()


class Shipped:
    """A function as servers get it: by name, and as it is where the name is not known yet."""

    def __init__(self, graph: Any):
        exporter = Exporter()
        self.name = exporter.name_of(graph, f"closure_{new_id()}")
        self.library = exporter.library()

    def run(self, address: str, arguments: Sequence[Any], keep: str = "") -> list:
        """Run it at an address, on raw values; `keep`: the key under which the server is to keep the result."""
        fields: dict[str, Any] = {"function": self.name, "keep": keep, "arguments": arguments}
        try:
            return call(address, **fields)
        except errors.NotFoundError as error:
            if UNKNOWN_FUNCTION not in error.message:
                raise
            return call(address, library=self.library, **fields)


@derived
def shipped(graph: Any) -> Shipped:
    """A function as servers get it. UnimplementedError if it cannot be written."""
    return Shipped(graph)


@functools.cache
def reach(address: str) -> None:
    """Wait until a server answers for the first time: the processes of a cluster are started at about the same time.

    Raises:
      UnavailableError: if it does not within `PATIENCE` seconds.
    """
    call(address, op="NoOp", timeout=PATIENCE, patient=True)


# --- answering --------------------------------------------------------------------------------------------------------


class Caller:
    """The sender of a request, as seen by ops that wait for queues.

    `cancelled` when the reply is no longer expected.
    """

    def __init__(self, context: Any):
        self._context = context
        context.add_callback(wake_all)

    cancelled = property(lambda self: not self._context.is_active())


class Answering:
    """What a server has: variables and iterators by key, and the functions that it was sent."""

    def __init__(self, address: str, definition: bytes = b""):
        self.address, self.definition = address, definition  # the latter: a ServerDef
        self.objects: dict[str, Any] = {}
        # by container and name: of the sessions of version 1 on this server
        self.variables: dict[tuple[str, str], Any] = {}
        self.functions: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __call__(self, request, context=None):
        try:
            if context is None or not request.function:
                return Reply(results=[encode(result) for result in self._run(request)])
            with limited(0, Caller(context)):
                return Reply(results=[encode(result) for result in self._run(request)])
        except errors.OpError as error:
            return Reply(code=error.error_code, message=error.message)
        except Exception as error:  # the caller is told of every failure: a server's output is not read
            return Reply(code=errors.UNKNOWN, message=f"{type(error).__name__}: {error}")

    def _run(self, request) -> list:
        arguments = [self._own(decode(argument)) for argument in request.arguments]
        if request.about == DEFINITION:
            return [np.array(self.definition, object)]
        if request.about == RESET:
            self.reset([c.decode() for c in arguments[0].tolist()])
            return []
        if request.keep and not request.function:
            return self._create(request, arguments[0])
        if request.op:
            record = registry.get(request.op)
            out = record.call(host_xp, arguments, json.loads(request.attributes or "{}"))
            return [out] if record.single else list(out)
        graph = self._function(request)
        outer, state.interpreting = state.interpreting, True
        try:
            results = graph.run(arguments)
        finally:
            state.interpreting = outer
        if request.keep:
            self.objects[request.keep] = results[0]
            return []
        return results

    def reset(self, containers: Sequence[str]) -> None:
        """Forget the variables and queues of sessions: those in some containers, or all if none is named."""
        with self._lock:
            for key in [key for key in self.variables if not containers or key[0] in containers]:
                del self.variables[key]
            shared = [key for key in self.objects if key.startswith(SESSIONS + "\n")]
            for text in [key for key in shared if not containers or key.split("\n")[1] in containers]:
                del self.objects[text]

    def _create(self, request, value) -> list:
        handle = Handle(dtypes.as_dtype(value.dtype), tuple(value.shape), request.keep)
        handle.write(value)
        self.objects[request.keep] = handle
        return []

    def _own(self, value):
        """What a reference refers to, if it is here."""
        if isinstance(value, (RemoteHandle, RemoteResource)) and value.address == self.address:
            if isinstance(value, RemoteHandle) and value.key.startswith(SESSIONS + "\n"):
                _, container, name = value.key.split("\n")
                with self._lock:
                    return self.variables.setdefault((container, name), Handle(value.dtype, value.dims, name))
            try:
                return self.objects[value.key]
            except KeyError:
                raise errors.UnavailableError(
                    None, None, f"The server at {self.address} has no resource {value.key!r}: it was started anew."
                ) from None
        return value

    def _function(self, request):
        with self._lock:
            if request.library.function:
                library = Library(request.library.function, allow_unsafe=True)
                self.functions[request.function] = library.load([request.function])[request.function]
            if request.function not in self.functions:
                raise errors.NotFoundError(None, None, f"{UNKNOWN_FUNCTION} {request.function!r}.")
            return self.functions[request.function]


def serve(answering: Answering, threads: int = THREADS):
    """A grpc server that answers at an address.

    Raises:
      UnknownError: if the address is in use.
    """
    import grpc

    address = answering.address
    handler = grpc.unary_unary_rpc_method_handler(answering, Request.FromString, Reply.SerializeToString)
    service, method = METHOD.strip("/").split("/")
    return bound(address, service, {method: handler}, threads)[0]


def bound(address: str, service: str, handlers: dict, threads: int) -> tuple[Any, int]:
    """A grpc server with the methods of a service, bound to an address and not started; and its port.

    Raises:
      UnknownError: if the address is in use.
    """
    import grpc

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(threads), options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    try:
        return server, server.add_insecure_port(address)
    except RuntimeError as error:
        raise errors.UnknownError(None, None, f"Could not start gRPC server on {address}: {error}") from None
