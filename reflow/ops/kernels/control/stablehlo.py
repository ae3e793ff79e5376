"""`XlaCallModule`: a program in StableHLO, XLA's portable format, as one op.

`jax2tf.convert` makes such ops of JAX functions, and SavedModels of JAX models hold them. The program's argument shapes
may be open. They are filled in with those of a call, from which XLA's own passes derive all others (*refinement*). The
result runs as an exported JAX function: alone eagerly, as a part of the program that calls it in a `tf.function`.

A program can call functions of the process by name (*custom calls*). A file may only hold programs that call those
which are known to check their operands.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops.registry import op
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.core.types import Array, Attrs
    from reflow.ops.protocols import Xp
    from reflow.ops.shape_facts import NodeFacts, Shapes

#: the calling conventions of `jax.export` that are known here; from the sixth on, a program says its platforms
OLDEST_VERSION, NEWEST_VERSION, WITH_PLATFORMS = 4, 10, 6
#: custom calls that XLA, refinement or JAX's kernels for LAPACK resolve
KNOWN_CALLS = ("Sharding", "SPMD", "shape_assertion", "stablehlo.", "mhlo.", "xla.sdy", "lapack_")


def _shapes(f: NodeFacts) -> Shapes:
    return list(f.attrs["Sout"])


def _touches(attrs: Attrs) -> tuple[str, ...]:
    """A program that calls unknown functions of the process is as dangerous as Python code."""
    return () if all(name.startswith(KNOWN_CALLS) for name in custom_calls(_bytes(attrs["module"]))) else ("python",)


def _no_gradient(*_: Any) -> NoReturn:
    """TensorFlow has none, either: `jax2tf` gives the functions around its programs gradients of their own."""
    raise LookupError("No gradient defined for operation 'XlaCallModule' (op type: XlaCallModule).")


@op("XlaCallModule", shape=_shapes, pure=True, grad_tensors=_no_gradient, touches=_touches)
def xla_call_module(
    xp: Xp, args: Sequence[Array], version: int, module: bytes | str, platforms: Sequence[str] = (),
    function_list: Sequence[Any] = (), has_token_input_output: bool = False, dim_args_spec: Sequence[str] = (),
    disabled_checks: Sequence[str] = (), use_shardy_partitioner: bool = False, **_: Any,
) -> list[Array]:
    """Run a program."""
    _check_version(version, platforms)
    if function_list or has_token_input_output or dim_args_spec:
        raise errors.UnimplementedError(None, None, "XlaCallModule cannot call functions of TensorFlow.")
    if "platform" not in disabled_checks:
        _check_platform(platforms)
    specs = tuple((tuple(map(int, x.shape)), dtypes.as_dtype(x.dtype)) for x in args)
    call = _callable(_bytes(module), tuple(map(str.lower, platforms)), specs)
    if xp is not host_xp:
        return list(call.inline(*args))
    from reflow.ops.xp.xla.base import wide_types

    with wide_types():
        return [np.asarray(x) for x in call.compiled(*args)]


def _check_version(version: int, platforms: Sequence[str]) -> None:
    if not OLDEST_VERSION <= version <= NEWEST_VERSION:
        raise errors.InvalidArgumentError(
            None, None, f"XlaCallModule of version {version} is not supported: known are {OLDEST_VERSION} to "
            f"{NEWEST_VERSION}.",
        )
    if version >= WITH_PLATFORMS and not platforms:
        raise errors.InvalidArgumentError(
            None, None, f"XlaCallModule of version {version} must have non-empty platforms."
        )


def _check_platform(platforms: Sequence[str]) -> None:
    """Reject a program that was made for other platforms than the one that runs it."""
    import jax

    here = jax.default_backend()
    names = ("CUDA", "ROCM") if here == "gpu" else (here.upper(),)
    if platforms and not set(names).intersection(platforms):
        raise errors.NotFoundError(
            None, None, f"The current platform {names[0]} is not among the platforms required by the module: "
            f"[{', '.join(platforms)}]",
        )


def _bytes(module: bytes | str) -> bytes:
    return module.encode() if isinstance(module, str) else module


@dataclasses.dataclass(frozen=True)
class _Callable:
    inline: Callable[..., Any]  # for a caller that is being traced
    compiled: Callable[..., Any]


@functools.lru_cache(maxsize=256)
def _callable(module: bytes, platforms: tuple[str, ...], specs: tuple[tuple[tuple[int, ...], Any], ...]) -> _Callable:
    """A program for arguments of these shapes, as a JAX function."""
    import jax
    from jax import export

    from reflow.ops.xp.xla.base import wide_types

    refined, results = _refined(module, [dims for dims, _ in specs], len(platforms) > 1)
    with wide_types():
        given = [jax.ShapeDtypeStruct(dims, kind.np_dtype) for dims, kind in specs]
        # an export of another function with the same arguments and results, around this program
        frame = export.export(
            jax.jit(lambda *_: [jax.numpy.zeros(dims, kind) for dims, kind in results]),
            platforms=platforms or None, disabled_checks=[export.DisabledSafetyCheck.platform()],
        )(*given)
        exported = dataclasses.replace(
            frame, mlir_module_serialized=refined, module_kept_var_idx=tuple(range(len(specs))),
        )
    call = jax.custom_jvp(exported.call)  # the frame's derivative would be zero
    call.defjvp(_no_gradient)
    return _Callable(call, jax.jit(call))


def _parsed(module: bytes, context: Any) -> Any:
    """A program in StableHLO's portable format."""
    from jax.extend.mlir.dialects import stablehlo

    stablehlo.register_dialect(context)
    try:
        return stablehlo.deserialize_portable_artifact(context, module)
    except Exception:  # MLIR has no class of its own, and writes what is wrong to stderr
        raise errors.InvalidArgumentError(
            None, None, f"XlaCallModule holds {len(module)} bytes that are no program in StableHLO's portable format."
        ) from None


@functools.lru_cache(maxsize=256)
def custom_calls(module: bytes) -> frozenset[str]:
    """The names of the functions of the process that a program calls.

    Raises:
      InvalidArgumentError: it is no program.
    """
    from jax.extend.mlir import ir

    found: set[str] = set()

    def look(operation: Any) -> Any:
        if operation.name.endswith("custom_call"):
            found.add(ir.StringAttr(operation.attributes["call_target_name"]).value)
        return ir.WalkResult.ADVANCE

    with ir.Context() as context:
        _parsed(module, context).operation.walk(look)
    return frozenset(found)


@functools.cache
def _register_passes() -> None:
    from jax.extend.mlir.dialects import stablehlo

    stablehlo.register_stablehlo_passes()


def _refined(
    module: bytes, shapes: Sequence[tuple[int, ...]], has_platform: bool
) -> tuple[bytes, list[tuple[tuple[int, ...], np.dtype]]]:
    """A program with these argument shapes, and the shapes and dtypes of its results."""
    from jax.extend import mlir
    from jax.extend.mlir import ir, passmanager
    from jax.extend.mlir.dialects import stablehlo

    _register_passes()
    with ir.Context() as context, ir.Location.unknown():
        program = _parsed(module, context)
        arguments = [ir.RankedTensorType(t) for t in _main(program).inputs]
        own = arguments[1:] if has_platform else arguments  # the first may be the number of the platform
        if [len(t.shape) for t in own] != list(map(len, shapes)):
            raise errors.InvalidArgumentError(
                None, None, f"XlaCallModule takes {[str(t) for t in own]}. Received tensors of shapes {list(shapes)}."
            )
        types = [
            *map(str, arguments[: len(arguments) - len(own)]),
            *(str(ir.RankedTensorType.get(dims, t.element_type)) for dims, t in zip(shapes, own, strict=True)),
        ]
        try:
            refine = f"builtin.module(stablehlo-refine-arguments{{types={','.join(types)}}})"
            if types:
                passmanager.PassManager.parse(refine).run(program.operation)
            text = str(program).encode()
            program = ir.Module.parse(mlir.refine_polymorphic_shapes(text), context)
        except Exception as error:
            raise errors.InvalidArgumentError(
                None, None, f"XlaCallModule cannot take tensors of shapes {list(shapes)}: {error}"
            ) from None
        results = [ir.RankedTensorType(t) for t in _main(program).results]
        portable = stablehlo.serialize_portable_artifact(program, stablehlo.get_current_version())
        return portable, [(tuple(t.shape), _numpy(t.element_type)) for t in results]


def _main(program: Any) -> Any:
    """The type of a program's function `main`."""
    from jax.extend.mlir import ir

    for operation in program.body.operations:
        if ir.StringAttr(operation.attributes["sym_name"]).value == "main":
            return ir.FunctionType(ir.TypeAttr(operation.attributes["function_type"]).value)
    raise errors.InvalidArgumentError(None, None, "XlaCallModule holds a program without a function `main`.")


#: what MLIR calls dtypes
_ELEMENTS = {
    "i1": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "complex<f32>": "complex64", "complex<f64>": "complex128",
    **{f"i{n}": f"int{n}" for n in (4, 8, 16, 32, 64)}, **{f"ui{n}": f"uint{n}" for n in (4, 8, 16, 32, 64)},
}


def _numpy(element: Any) -> np.dtype:
    name = _ELEMENTS.get(str(element))
    if name is None:
        raise errors.UnimplementedError(None, None, f"XlaCallModule returns {element}, for which there is no dtype.")
    return np.dtype(dtypes.as_dtype(name).np_dtype)
