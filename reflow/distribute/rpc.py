"""`tf.distribute.experimental.rpc`: functions of one process that others call by name, over gRPC.

The messages are TensorFlow's (service `tensorflow.rpc.RpcService`), so either end can be TensorFlow. A server listens
only on the address that it is given; an address without a host (":8000") means this machine only. It trusts every
client that can connect: bind it to loopback or to a private network.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tensorboard.compat.proto import struct_pb2, tensor_pb2

from reflow.api.control.py_functions import numpy_function
from reflow.api.export import export
from reflow.core import dtypes, errors, nest
from reflow.core.context import state
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.distribute.remote import CLASSES, OPTIONS, bound
from reflow.function.concrete import ConcreteFunction
from reflow.function.function import Function
from reflow.graph.proto_values import decode_tensor, encode_tensor
from reflow.io.messages import define
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run
from reflow.saved_model import structures

SERVICE = "tensorflow.rpc.RpcService"
_messages = define(
    "rpc_service.proto",
    [tensor_pb2, struct_pb2],
    {
        "CallRequest": [(1, "string", "method"), (2, "repeated .tensorboard.TensorProto", "input_tensors")],
        "CallResponse": [(1, "repeated .tensorboard.TensorProto", "output_tensors")],
        "ListRequest": [],
        "RegisteredMethod": [
            (1, "string", "method"), (2, ".tensorboard.StructuredValue", "input_specs"),
            (3, ".tensorboard.StructuredValue", "output_specs"),
        ],
        "ListResponse": [(1, "repeated .reflow.RegisteredMethod", "registered_methods")],
    },
)  # fmt: skip
CallRequest, CallResponse = _messages["CallRequest"], _messages["CallResponse"]
ListRequest, ListResponse = _messages["ListRequest"], _messages["ListResponse"]
DEFAULT_TIMEOUT = 60.0  # seconds; TensorFlow waits indefinitely for a missing server


def _check_layer(rpc_layer: str) -> None:
    if rpc_layer != "grpc":
        raise ValueError(f"Only GRPC backend is supported at the moment. Received: rpc_layer={rpc_layer!r}")


def _address(given: str) -> str:
    return f"127.0.0.1{given}" if given.startswith(":") else given


@export("distribute.experimental.rpc.Server")
class Server:
    """Answers calls of functions that were registered. It ends with the object.

    Args:
      address: The host and port; ":0" takes any port.

    >>> server = tf.distribute.experimental.rpc.Server.create("grpc", "127.0.0.1:0")
    >>> @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    ... def double(x):
    ...     return 2 * x
    >>> server.register("double", double)
    """

    def __init__(self, address: str) -> None:
        self._address = _address(address)
        self._methods: dict[str, ConcreteFunction] = {}
        self._server: Any = None

    @staticmethod
    def create(rpc_layer: str, address: str) -> Server:
        """Makes a server; it answers once it is started.

        Args:
          rpc_layer: "grpc".
          address: The host and port; ":0" takes any port.

        Returns:
          A `Server`.

        Raises:
          ValueError: `rpc_layer` is another.
        """
        _check_layer(rpc_layer)
        return Server(address)

    def register(self, method_name: str, func: Any) -> None:
        """Let clients call a function by a name.

        Args:
          method_name: the name.
          func: a `tf.function` with an input signature, or a concrete function.

        Raises:
          ValueError: the function has no signature, or is not a `tf.function`.
          InvalidArgumentError: the name is taken.
          FailedPreconditionError: the server has started.
        """
        if self._server is not None:
            raise errors.FailedPreconditionError(
                None, None, f"Methods are registered before the server starts. Received: {method_name!r}"
            )
        if method_name in self._methods:
            raise errors.InvalidArgumentError(None, None, f"{method_name} is already registered.")
        if isinstance(func, Function):
            if func.input_signature is None:
                raise ValueError(f"Input signature not specified for the function. Received: {func!r}")
            func = func.get_concrete_function()
        if not isinstance(func, ConcreteFunction):
            raise ValueError(f"Only TF functions are supported with Register method. Received: {func!r}")
        self._methods[method_name] = func

    def start(self) -> None:
        """Begins to answer; does nothing the second time.

        Raises:
          UnknownError: The address is in use.
        """
        import grpc

        if self._server is not None:
            return
        handlers = {
            "Call": grpc.unary_unary_rpc_method_handler(
                self._call, CallRequest.FromString, CallResponse.SerializeToString
            ),
            "List": grpc.unary_unary_rpc_method_handler(
                self._list, ListRequest.FromString, ListResponse.SerializeToString
            ),
        }
        self._server, port = bound(self._address, SERVICE, handlers, threads=8)
        if self._address.endswith(":0"):
            self._address = f"{self._address[:-1]}{port}"
        self._server.start()

    def __del__(self) -> None:
        if getattr(self, "_server", None) is not None:
            self._server.stop(None)

    def _list(self, request: Any, context: Any) -> Any:
        reply = ListResponse()
        for name, function in self._methods.items():
            method = reply.registered_methods.add(method=name)
            method.input_specs.CopyFrom(structures.encode(function.structured_input_signature[0]))
            method.output_specs.CopyFrom(structures.encode(function.output_specs))
        return reply

    def _call(self, request: Any, context: Any) -> Any:
        try:
            return CallResponse(output_tensors=[encode_tensor(np.asarray(t)) for t in self._run(request)])
        except errors.OpError as error:
            code, message = error.error_code, error.message
        except Exception as error:  # the caller is told of every failure: a server's output is not read
            code, message = errors.UNKNOWN, f"{type(error).__name__}: {error}"
        context.abort(_status(code), message)

    def _run(self, request: Any) -> list:
        function = self._methods.get(request.method)
        if function is None:
            raise errors.InvalidArgumentError(None, None, f"{request.method} is not registered.")
        given = [EagerTensor(decode_tensor(proto)) for proto in request.input_tensors]
        wanted = function.graph.inputs[: len(function.graph.inputs) - len(function._captured)]
        if [t.dtype for t in given] != [t.dtype for t in wanted]:
            raise errors.InvalidArgumentError(
                None, None, f"{request.method} expects arguments of types {[t.dtype.name for t in wanted]}. Received: "
                f"{[t.dtype.name for t in given]}"
            )  # fmt: skip
        return [t for t in nest.flatten(function.call_flat(given), expand_composites=True) if t is not None]


class StatusOrResult:
    """What a call came to: a value or an error. Asking waits for it."""

    def __init__(self, outcome: Callable[[], Sequence[Any]], output_specs: Any) -> None:
        self._outcome, self._specs = functools.cache(outcome), output_specs  # code, message, flat results

    def is_ok(self) -> Tensor:
        """Says whether there is a value.

        Returns:
          A bool scalar tensor.
        """
        return run("Equal", convert_to_tensor(self._outcome()[0]), convert_to_tensor(0, dtypes.int64))  # type: ignore[no-any-return]

    def get_error(self) -> tuple[Tensor, Tensor]:
        """Returns the error.

        Returns:
          Its code, 0 if there is none, and its text.
        """
        code, message = self._outcome()[:2]
        return convert_to_tensor(code), convert_to_tensor(message)

    def get_value(self) -> Any:
        """Returns the value.

        Returns:
          The value, in the structure of the output specs.

        Raises:
          OpError: what the server raised.
          InvalidArgumentError: the specs do not fit what came.
        """
        code, message, *flat = self._outcome()
        specs = nest.flatten(self._specs, expand_composites=True)
        kinds = [spec.dtype for spec in specs if spec is not None]
        if state.graph is None:
            flat = [convert_to_tensor(value) for value in _checked(code, message, *flat)]
            if len(flat) != len(kinds):
                raise errors.InvalidArgumentError(
                    None, None, f"Incorrect number of output types specified. {len(kinds)} {len(flat)}"
                )
        elif kinds:
            flat = numpy_function(_checked, [code, message, *flat], kinds)
        if self._specs is None:
            return None
        rest = iter(flat)
        return nest.pack_sequence_as(
            self._specs, [None if s is None else next(rest) for s in specs], expand_composites=True
        )


def _checked(code: Any, message: Any, *values: Any) -> list:
    """The values of a call that went well; raises the error of one that did not."""
    if int(code):
        text = message.item() if isinstance(message, np.ndarray) else message
        raise CLASSES.get(int(code), errors.UnknownError)(
            None, None, text.decode() if isinstance(text, bytes) else text
        )
    return list(values)


@export("distribute.experimental.rpc.Client")
class Client:
    """Calls functions of a server.

    Each of them is a method of the client, and with `_blocking` behind its name one that raises the server's error.

    Args:
      address: The host and port of the server.
      name: A name of the client.
      timeout_in_ms: For each call that has none of its own, and for the first contact; a minute if 0.

    >>> server = tf.distribute.experimental.rpc.Server.create("grpc", "127.0.0.1:0")
    >>> server.register("double", tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([], tf.int32)]))
    >>> server.start()
    >>> client = tf.distribute.experimental.rpc.Client.create("grpc", server._address)
    >>> int(client.double(tf.constant(4)).get_value())
    8
    """

    def __init__(self, address: str, name: str = "", timeout_in_ms: int = 0) -> None:
        import grpc

        self._address, self._name, self._timeout = _address(address), name, timeout_in_ms
        self._channel = grpc.insecure_channel(self._address, options=OPTIONS)
        self._stub = self._channel.unary_unary(
            f"/{SERVICE}/Call", CallRequest.SerializeToString, CallResponse.FromString
        )
        listing = self._channel.unary_unary(f"/{SERVICE}/List", ListRequest.SerializeToString, ListResponse.FromString)
        try:
            methods = listing(ListRequest(), timeout=self._seconds(0), wait_for_ready=True).registered_methods
        except grpc.RpcError as error:
            code, message = _failure(error)
            raise CLASSES.get(code, errors.UnknownError)(
                None, None, f"No server answers at {self._address}: {message}"
            ) from None
        for method in methods:
            specs = structures.decode(method.input_specs), structures.decode(method.output_specs)
            for suffix, blocking in (("", False), ("_blocking", True)):
                setattr(self, method.method + suffix, self._method(method.method, *specs, blocking))

    @staticmethod
    def create(rpc_layer: str, address: str, name: str = "", timeout_in_ms: int = 0) -> Client:
        """A client of the server at an address.

        Args:
          rpc_layer: "grpc".
          address: host and port.
          name: of the client.
          timeout_in_ms: for each call that has none of its own, and for the first contact; a minute if 0.

        Returns:
          A `Client`.

        Raises:
          ValueError: `rpc_layer` is not "grpc".
          DeadlineExceededError: there is no reply in time.
        """
        _check_layer(rpc_layer)
        return Client(address, name, timeout_in_ms)

    def _seconds(self, milliseconds: int) -> float:
        wanted = milliseconds or self._timeout
        return wanted / 1000 if wanted > 0 else DEFAULT_TIMEOUT

    def _method(self, name: str, input_specs: Any, output_specs: Any, blocking: bool) -> Callable[..., Any]:
        def call(*args: Any, timeout_in_ms: int = 0) -> Any:
            nest.assert_same_structure(args, input_specs)
            result = self.call(name, args, output_specs, timeout_in_ms)
            return result.get_value() if blocking else result

        call.__name__, call.__doc__ = name, f"RPC Call for {name} method to server {self._address}"
        return call

    def call(
        self, method_name: str, args: Any = None, output_specs: Any = None, timeout_in_ms: int = 0
    ) -> StatusOrResult:
        """Call a function of the server.

        Args:
          method_name: under which it was registered.
          args: its arguments, a structure of tensors.
          output_specs: what it returns, a structure of specs.
          timeout_in_ms: how long to wait for the answer.

        Returns:
          A `StatusOrResult`. Eager code does not wait until it is asked.
        """
        flat = [convert_to_tensor(x) for x in nest.flatten(args if args is not None else [], expand_composites=True)]
        if state.graph is None:
            request = CallRequest(method=method_name, input_tensors=[encode_tensor(np.asarray(t)) for t in flat])
            future = self._stub.future(request, timeout=self._seconds(timeout_in_ms))
            return StatusOrResult(lambda: _outcome(future), output_specs)
        specs = [s for s in nest.flatten(output_specs, expand_composites=True) if s is not None]

        def ask(*arrays: np.ndarray) -> list:
            request = CallRequest(method=method_name, input_tensors=[encode_tensor(a) for a in arrays])
            code, message, *values = _outcome(self._stub.future(request, timeout=self._seconds(timeout_in_ms)))
            return [np.int64(code), message, *(values if not code else [_stand_in(s) for s in specs])]

        kinds = [dtypes.int64, dtypes.string, *[s.dtype for s in specs]]
        results = numpy_function(ask, flat, kinds)
        return StatusOrResult(lambda: results, output_specs)


def _stand_in(spec: TensorSpec) -> np.ndarray:
    """A value where an error came instead of one."""
    return np.zeros(
        [n or 0 for n in (spec.shape.as_list() if spec.shape.rank is not None else [0])], spec.dtype.as_numpy_dtype
    )


def _status(code: int) -> Any:
    """A code of TensorFlow's as gRPC has it."""
    import grpc

    return next(status for status in grpc.StatusCode if status.value[0] == code)


def _failure(error: Any) -> tuple[int, str]:
    return error.code().value[0], error.details() or ""


def _outcome(future: Any) -> list:
    """Code, message and results of a call; waits for it."""
    import grpc

    try:
        reply = future.result()
    except grpc.RpcError as error:
        code, message = _failure(error)
        return [np.int64(code), message.encode()]
    return [np.int64(0), b"", *[decode_tensor(proto) for proto in reply.output_tensors]]
