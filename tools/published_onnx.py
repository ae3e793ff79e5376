"""ONNX models that are published in Python packages give ONNX Runtime's outputs, by `reflow.onnx` and by an engine of
`OnnxParser`.

    pip download --no-deps -d wheels rapidocr-onnxruntime basic-pitch silero-vad magika
    python -m tools.published_onnx wheels            # needs onnxruntime: pip install -e '.[bench]'

Each wheel is opened, and each `.onnx` file in it is run three ways on the same random inputs. `LENGTHS` has those of
open axes.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
import time
import zipfile
from typing import Any

import numpy as np

import reflow as tf
import reflow.engine as trt

TOLERANCE = 1e-3
#: part of a model's name -> the lengths of its open axes, by the name of the input. Others are 1 for the first axis and
#: 160 for the others.
LENGTHS = {
    "rec_infer": {"x": (2, 3, 48, 320)},
    "cls_infer": {"x": (2, 3, 48, 192)},
    "silero_vad_16k_sequence": {"input": (3, 576)},
    "openvino": {},
    "silero": {"input": (3, 576), "state": (2, 3, 128)},
}
KINDS = {
    "tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64, "tensor(int32)": np.int32
}


def inputs_of(session: Any, name: str) -> dict[str, np.ndarray]:
    """Random numbers for each input: floats around zero, integers below 256,
    and the rate of sound that silero-vad asks for."""
    rng, lengths = np.random.default_rng(0), next((found for part, found in LENGTHS.items() if part in name), {})
    found = {}
    for given in session.get_inputs():
        open_ = [n if isinstance(n, int) and n > 0 else 160 if i else 1 for i, n in enumerate(given.shape)]
        shape, kind = lengths.get(given.name, open_), KINDS[given.type]
        floats = np.issubdtype(kind, np.floating)
        made = rng.standard_normal(shape) * 0.5 if floats else rng.integers(0, 256, shape)
        found[given.name] = np.asarray(16000, kind) if given.name == "sr" else np.asarray(made, kind)
    return found


def by_engine(path: pathlib.Path, inputs: dict[str, np.ndarray]) -> tuple[list[np.ndarray], str]:
    """The outputs of an engine for these shapes, and how it runs."""
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network, config = builder.create_network(), builder.create_builder_config()
    parser = trt.OnnxParser(network, logger)
    if not parser.parse_from_file(str(path)):
        raise ValueError("; ".join(str(parser.get_error(i)) for i in range(parser.num_errors)))
    profile = builder.create_optimization_profile()
    for name, array in inputs.items():
        profile.set_shape(name, array.shape, array.shape, array.shape)
    config.add_optimization_profile(profile)
    engine = builder.build_engine(network, config)
    results = engine.create_execution_context().run(inputs)
    return (
        list(results.values()),
        "steps" if engine.small_program(0) is not None else "XLA" if engine._programs else "stretches",
    )


def distance(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    """The largest difference, relative where numbers are larger than 1."""
    if [a.shape for a in ours] != [b.shape for b in theirs]:
        return np.inf
    return max(
        float((np.abs(a.astype(float) - b) / np.maximum(np.abs(b.astype(float)), 1)).max(initial=0))
        for a, b in zip(ours, theirs)
    )


def compare(path: pathlib.Path, label: str) -> bool:
    """Print how far both ways are from ONNX Runtime; whether they are near."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = inputs_of(session, path.name)
    theirs = session.run(None, inputs)
    started, far = time.monotonic(), {}
    for way in ("reflow.onnx", "OnnxParser"):
        try:
            if way == "reflow.onnx":
                made, how = tf.nest.flatten(tf.onnx.load(str(path))(*map(tf.constant, inputs.values()))), ""
                ours = [np.asarray(t) for t in made]
            else:
                ours, how = by_engine(path, inputs)
            far[f"{way} {how}".strip()] = distance(ours, theirs)
        except Exception as error:  # noqa: BLE001 - the other models go on
            print(f"      {label}, {way}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            far[way] = np.inf
    near = all(n <= TOLERANCE for n in far.values())
    told = ", ".join(f"{way} {n:.1e}" for way, n in far.items())
    print(
        f"{'ok   ' if near else 'WRONG'} {label}: {len(theirs)} outputs; {told} ({time.monotonic() - started:.0f} s)",
        flush=True,
    )
    return near


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheels", type=pathlib.Path, help="a folder of wheels")
    parser.add_argument("--only", default="", help="models whose names contain this")
    options = parser.parse_args()
    near = []
    for wheel in sorted(options.wheels.glob("*.whl")):
        with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(wheel) as archive:
            for member in (m for m in archive.namelist() if m.endswith(".onnx") and options.only in m):
                path = pathlib.Path(archive.extract(member, name))
                near.append(compare(path, f"{wheel.name.split('-')[0]}/{path.name}"))
    print(f"{sum(near)} of {len(near)} models are within {TOLERANCE} of ONNX Runtime")
    return int(not all(near))


if __name__ == "__main__":
    sys.exit(main())
