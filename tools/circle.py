"""TensorFlow's circle: libraries on TensorFlow, each in an environment of its own, run on Reflow.

    python tools/circle.py                  # install what is missing, run everything, print the table
    python tools/circle.py sonnet hub       # these libraries
    python tools/circle.py --fresh          # install anew

An *environment* is a folder with the library and what it needs beside Reflow's own packages, installed without the TensorFlow that it would
pull in. For each library its quick start runs (`tools/circle_programs/start_NAME.py`), and the pinned sample of its own tests where it ships
them. `tools/data/circle_expected.txt` lists what does not pass, with a reason; the exit status is 1 if anything else fails, or if
something listed passes.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("REFLOW_CIRCLE", Path.home() / ".cache" / "reflow" / "circle"))
EXPECTED_FILE = ROOT / "tools" / "data" / "circle_expected.txt"
TIME = 600  # seconds, for a quick start or a file of tests
_WEB = "requests urllib3 idna certifi charset_normalizer"


@dataclasses.dataclass(frozen=True)
class Library:
    """A library: its requirements, the files of its own tests that are run, and whether it asks for Keras 2."""

    name: str
    requirements: str
    tests: str = ""
    keras2: bool = False


LIBRARIES = (
    Library("hub", "tensorflow_hub==0.16.1"),
    Library(
        "datasets",
        "tensorflow-datasets==4.9.10 tensorflow-metadata etils importlib_resources dill immutabledict promise toml tqdm simple_parsing "
        f"docstring_parser fsspec psutil pyarrow array_record googleapis-common-protos zipp six wrapt dm-tree attrs {_WEB}",
        "tensorflow_datasets/core/features/text_feature_test.py tensorflow_datasets/core/features/class_label_feature_test.py",
    ),
    Library("tuner", f"keras-tuner==1.4.8 kt-legacy six scikit-learn threadpoolctl joblib narwhals cloudpickle {_WEB}"),
    Library("hparams", ""),
    Library(
        "sonnet",
        "dm-sonnet==2.0.2 tabulate dm-tree wrapt attrs",
        "sonnet/src/linear_test.py sonnet/src/batch_norm_test.py sonnet/src/recurrent_test.py",
    ),
    Library("probability", "tensorflow-probability==0.25.0 dm-tree cloudpickle decorator gast six wrapt attrs"),
    Library("keras2", f"tf_keras==2.21.0 six wrapt {_WEB}", keras2=True),
    Library("transformers", f"transformers==4.44.2 tokenizers==0.19.1 huggingface_hub==0.24.7 safetensors regex filelock pyyaml tqdm "
            f"fsspec tf_keras==2.21.0 six wrapt {_WEB}", keras2=True),  # fmt: skip
    Library("onnx", f"tf2onnx==1.17.0 onnx==1.16.2 flatbuffers six {_WEB}"),
    Library("slim", "tf_slim==1.1.0 six"),
    Library("optimization", f"tensorflow-model-optimization==0.8.1 dm-tree six attrs wrapt tf_keras==2.21.0 {_WEB}", keras2=True),
    Library("recommenders", f"tensorflow-recommenders==0.7.7 tf_keras==2.21.0 six wrapt {_WEB}", keras2=True),
    Library(
        "agents",
        "tf-agents==0.19.0 gin-config gym cloudpickle tensorflow-probability==0.25.0 dm-tree decorator gast six wrapt attrs",
        "tf_agents/trajectories/time_step_test.py",
    ),
    Library("orbit", f"tf-models-official==2.20.0 six {_WEB}"),
)


def installed(library: Library, fresh: bool) -> Path:
    """The folder of a library, with everything in it."""
    folder = FOLDER / library.name
    wanted = folder / "requirements.txt"
    if fresh or not wanted.exists() or wanted.read_text() != library.requirements:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if library.requirements:
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
            subprocess.run([*command, *library.requirements.split()], check=True)
        wanted.write_text(library.requirements)
    return folder


def run(library: Library, folder: Path, *arguments: str) -> tuple[int, str]:
    """Run a program on Reflow with a library; its exit status and what it printed."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "CUDA_VISIBLE_DEVICES": ""}
    env |= {"TF_USE_LEGACY_KERAS": "1"} if library.keras2 else {}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reflow", *arguments], env=env, cwd=folder, capture_output=True, text=True, timeout=TIME
        )
    except subprocess.TimeoutExpired:
        return 124, f"over {TIME} s"
    return done.returncode, done.stdout + done.stderr


def last_error(output: str) -> str:
    """The line of an output that says what went wrong."""
    lines = [line for line in output.splitlines() if re.match(r"\w[\w.]*(Error|Exception|Exit|over \d+ s)\b", line)]
    return (lines or output.splitlines() or [""])[-1][:140]


def expected() -> dict[str, str]:
    """What does not pass, by `library start` or `library FILE::TEST`, and why."""
    lines = [line for line in EXPECTED_FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {what.strip(): why.strip() for what, _, why in (line.partition("  # ") for line in lines)}


def results_of(library: Library, fresh: bool) -> dict[str, str]:
    """{what was run: "" if it passed, else what went wrong}."""
    folder = installed(library, fresh)
    status, output = run(library, folder, str(ROOT / "tools" / "circle_programs" / f"start_{library.name}.py"))
    results = {f"{library.name} start": "" if status == 0 else last_error(output)}
    for file in library.tests.split():
        status, output = run(library, folder, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", file)
        found = re.findall(r"^(PASSED|FAILED|ERROR) \S*?(\w+\.py::\S+)(?: - (.*))?$", output, re.MULTILINE)
        results |= {f"{library.name} {test}": "" if how == "PASSED" else why or how for how, test, why in found}
        if not found:
            results[f"{library.name} {file}"] = last_error(output)
    return results


def row(library: Library, results: dict[str, str]) -> str:
    tests = [why for what, why in results.items() if not what.endswith(" start")]
    count = f"{sum(not why for why in tests)}/{len(tests)}" if tests else "–"
    start = results[f"{library.name} start"]
    version = (library.requirements.split() or ["with TensorBoard"])[0]
    return f"| {library.name} | {version} | {count} | {start or 'works'} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of libraries; all if there are none")
    parser.add_argument("--fresh", action="store_true", help="install anew")
    options = parser.parse_args()
    chosen = [library for library in LIBRARIES if not options.names or library.name in options.names]
    print("| library | version | its own tests | quick start |\n|---|---|---|---|")
    results: dict[str, str] = {}
    for library in chosen:
        own = results_of(library, options.fresh)
        results |= own
        print(row(library, own), flush=True)
    listed = expected()
    wrong = [f"fails and is not listed: {what}: {why}" for what, why in results.items() if why and what not in listed]
    wrong += [f"passes and is listed: {what}" for what in listed if results.get(what) == ""]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
