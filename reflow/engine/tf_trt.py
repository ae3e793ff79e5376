"""TF-TRT: SavedModels through the engine, under TensorFlow's names.

`convert` reads a signature and freezes it; `build` makes an engine for each shape that `input_fn` yields; the converted
function runs the matching engine, or builds one. `save` writes the model as a SavedModel, with the engines' plans as
extra files: both TensorFlow and Reflow load the folder. TensorFlow ignores the plans; `tf.saved_model.load` uses those
that fit (`served.py`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import reflow as tf
from reflow.api.export import export
from reflow.function.plans import PLANS

if TYPE_CHECKING:  # `tf.experimental` imports this module, and needs neither JAX nor the engine
    from reflow.engine.runtime import ICudaEngine

#: the file next to the plans that says which model they belong to
MODEL = "model"
PRECISIONS = ("FP32", "FP16", "INT8")


def identity(folder: str) -> str:
    """What tells a SavedModel from any other that is saved in the same folder.

    A hash of its graph and of its fingerprint, which has an id.
    """
    digest = hashlib.sha256()
    for name in ("saved_model.pb", "fingerprint.pb"):
        with open(os.path.join(folder, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


class _Params(NamedTuple):
    max_workspace_size_bytes: int = 1 << 30
    precision_mode: str = "FP32"
    minimum_segment_size: int = 3
    maximum_cached_engines: int = 1
    use_calibration: bool = True
    allow_build_at_runtime: bool = True


@export("experimental.tensorrt.ConversionParams")
class ConversionParams(_Params):
    """Options of a `Converter`.

    Args:
      max_workspace_size_bytes: How much memory an engine may use while it is built.
      precision_mode: "FP32", "FP16" or "INT8".
      minimum_segment_size: It has no meaning here, because the whole function is one engine; `Converter` rejects values
        other than 3.
      maximum_cached_engines: How many engines are kept.
      use_calibration: Whether "INT8" needs a `calibration_input_fn`.
      allow_build_at_runtime: Whether a call with new shapes makes an engine.

    >>> tf.experimental.tensorrt.ConversionParams(precision_mode="FP16").precision_mode
    'FP16'
    """

    __slots__ = ()


@export("experimental.tensorrt.Converter")
class Converter:
    """Converts a SavedModel for inference by `reflow.engine`.

    Args:
      input_saved_model_dir: the SavedModel.
      input_saved_model_tags: its tags.
      input_saved_model_signature_key: the signature; "serving_default" by default.
      use_dynamic_shape: engines for a range of shapes, from the smallest to the largest that `build` sees, instead of
        one for each.
      dynamic_shape_profile_strategy: only with `use_dynamic_shape`; "Range" is the one that is offered.
      precision_mode: "FP32", "FP16" or "INT8", which needs `calibration_input_fn`.
      maximum_cached_engines: how many engines are kept.
      allow_build_at_runtime: whether a call with new shapes makes an engine; otherwise the model's own function serves
        it.
      conversion_params: a `ConversionParams` in place of single arguments.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> module = tf.Module()
    >>> module.serve = tf.function(lambda x: {"y": x * 2.0}, input_signature=[tf.TensorSpec([None, 2], name="x")])
    >>> tf.saved_model.save(module, folder, module.serve)
    >>> converter = tf.experimental.tensorrt.Converter(input_saved_model_dir=folder)
    >>> converter.convert()(x=tf.constant([[1.0, 2.0]]))["y"].numpy()
    array([[2., 4.]], dtype=float32)
    """

    def __init__(
        self, input_saved_model_dir=None, input_saved_model_tags=None, input_saved_model_signature_key=None,
        use_dynamic_shape=None, dynamic_shape_profile_strategy=None, max_workspace_size_bytes=1 << 30,
        precision_mode="FP32", minimum_segment_size=3, maximum_cached_engines=1, use_calibration=True,
        allow_build_at_runtime=True, conversion_params=None,
    ):
        self.params = conversion_params or ConversionParams(
            max_workspace_size_bytes, precision_mode.upper(), minimum_segment_size, maximum_cached_engines,
            use_calibration, allow_build_at_runtime,
        )
        if self.params.precision_mode.upper() not in PRECISIONS:
            raise ValueError(
                f"precision mode '{self.params.precision_mode}' is not supported. It should be "
                f"one of {list(PRECISIONS)}"
            )
        if self.params.minimum_segment_size != 3:
            raise ValueError("minimum_segment_size: the whole function is one engine here; leave it at 3.")
        if dynamic_shape_profile_strategy not in (None, "Range"):
            raise ValueError(
                f"dynamic_shape_profile_strategy: only 'Range' is offered; received {dynamic_shape_profile_strategy!r}."
            )
        if input_saved_model_dir is None:
            raise ValueError("input_saved_model_dir is needed.")
        self._folder, self._tags = input_saved_model_dir, input_saved_model_tags
        self._key = input_saved_model_signature_key or "serving_default"
        self._dynamic = bool(use_dynamic_shape)
        self._engines: dict[Any, ICudaEngine] = {}
        self._converted = False
        self._ranges: list[list[np.ndarray]] = []

    # --- the four steps

    def convert(self, calibration_input_fn: Callable[[], Iterable[Any]] | None = None) -> Callable[..., dict[str, Any]]:
        """Read and freeze the signature; a function of its inputs by name."""
        int8 = self.params.precision_mode.upper() == "INT8"
        if int8 and self.params.use_calibration and calibration_input_fn is None:
            raise ValueError("Should specify calibration_input_fn because INT8 calibration is needed")
        if not int8 and calibration_input_fn is not None:
            raise ValueError("Should not specify calibration_input_fn because INT8 calibration is not needed")
        self._root = tf.saved_model.load(self._folder, self._tags)
        self._function = self._root.signatures[self._key]
        from reflow.engine.from_function import frozen

        self._graph, self._outputs = frozen(self._function)
        self._inputs = [t.op.name for t in self._graph.arguments]
        if calibration_input_fn is not None:
            self._ranges = [self._arrays(batch) for batch in calibration_input_fn()]
            if not self._ranges:
                raise ValueError("calibration_input_fn gave no data.")
        self._converted = True
        return self

    def build(self, input_fn: Callable[[], Iterable[Any]]) -> None:
        """Make engines for the shapes of what `input_fn` yields."""
        self._check()
        seen = [self._arrays(batch) for batch in input_fn()]
        if not seen:
            raise ValueError("input_fn gave no data.")
        if self._dynamic:
            shapes = [[arrays[i].shape for arrays in seen] for i in range(len(self._inputs))]
            low, high = ([tuple(f(n) for n in zip(*s)) for s in shapes] for f in (min, max))
            self._add(low, [s[0] for s in shapes], high)
        else:
            for arrays in seen:
                self._engine(arrays, build=True)

    def save(self, output_saved_model_dir: str, save_gpu_specific_engines: bool = True, options: Any = None) -> None:
        """Write the model as a SavedModel, with the engines' plans as extra files."""
        self._check()
        tf.saved_model.save(self._root, output_saved_model_dir, {self._key: self._function}, options)
        if save_gpu_specific_engines and self._engines:
            folder = os.path.join(output_saved_model_dir, PLANS)
            shutil.rmtree(folder, ignore_errors=True)  # plans of a model that was here before
            os.makedirs(folder)
            with open(os.path.join(folder, MODEL), "w", encoding="utf-8") as file:
                file.write(identity(output_saved_model_dir))
            for number, engine in enumerate(self._engines.values()):
                with open(os.path.join(folder, f"{self._key}_{number}.plan"), "wb") as file:
                    file.write(engine.serialize())

    def summary(
        self, line_length: int = 160, detailed: bool = True, print_fn: Callable[[str], None] | None = None
    ) -> None:
        """Print the engines, and with `detailed` their layers."""
        self._check()
        say = print_fn or print
        say("=" * line_length)
        say(
            f"{self._key}: {', '.join(self._inputs)} -> {', '.join(self._outputs)}; {len(self._engines)} engines, "
            f"{self.params.precision_mode}"
        )
        for engine in self._engines.values():
            text = engine.inspect()
            for line in text.splitlines() if detailed else text.splitlines()[:1]:
                say(line[:line_length])
        say("=" * line_length)

    # --- running

    def __call__(self, *args: Any, **inputs: Any) -> dict[str, Any]:
        self._check()
        arrays = self._arrays(inputs or args)
        engine = self._engine(arrays, build=self.params.allow_build_at_runtime)
        if engine is None:
            return self._function(**{n: tf.constant(a) for n, a in zip(self._inputs, arrays)})
        return {
            name: tf.constant(value)
            for name, value in engine.create_execution_context().run(dict(zip(self._inputs, arrays))).items()
        }

    def _check(self) -> None:
        if not self._converted:
            raise RuntimeError("The model is not converted yet: call convert() first.")

    def _arrays(self, batch: Any) -> list[np.ndarray]:
        values = [batch[n] for n in self._inputs] if isinstance(batch, dict) else list(batch)
        if len(values) != len(self._inputs):
            raise ValueError(f"The signature takes {', '.join(self._inputs)}; received {len(values)} values.")
        return [np.asarray(v) for v in values]

    def _engine(self, arrays: list[np.ndarray], build: bool) -> ICudaEngine | None:
        shapes = [a.shape for a in arrays]
        for engine in self._engines.values():
            if engine.fits(dict(zip(self._inputs, shapes))):
                return engine
        return self._add(shapes, shapes, shapes) if build else None

    def _add(self, low: list, best: list, high: list) -> ICudaEngine:
        from reflow.engine.builder import Build
        from reflow.engine.calibration import BatchCalibrator
        from reflow.engine.config import IBuilderConfig, IOptimizationProfile
        from reflow.engine.enums import BuilderFlag, MemoryPoolType
        from reflow.engine.logger import Logger
        from reflow.engine.runtime import Runtime

        config = IBuilderConfig()
        config.set_memory_pool_limit(MemoryPoolType.WORKSPACE, self.params.max_workspace_size_bytes)
        mode = self.params.precision_mode.upper()
        if mode == "FP16":
            config.set_flag(BuilderFlag.FP16)
        if mode == "INT8" and self._ranges:
            config.set_flag(BuilderFlag.INT8)
            config.int8_calibrator = BatchCalibrator(self._ranges)
        profile = IOptimizationProfile()
        for name, *shapes in zip(self._inputs, low, best, high):
            profile.set_shape(name, *shapes)
        config.add_optimization_profile(profile)
        logger = Logger(Logger.ERROR)
        engine = Runtime(logger).deserialize_cuda_engine(Build(logger, config, self._graph, self._outputs).plan())
        while len(self._engines) >= max(self.params.maximum_cached_engines, 1):
            self._engines.pop(next(iter(self._engines)))
        self._engines[tuple(map(tuple, best))] = engine
        return engine
