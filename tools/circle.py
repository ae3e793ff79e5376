"""TensorFlow's circle: libraries on TensorFlow, each in an environment of its own, run on Reflow and on TensorFlow.

    python tools/circle.py                        # install what is missing, run everything, print the table
    python tools/circle.py sonnet hub             # these libraries
    python tools/circle.py --fresh                # install anew
    python tools/circle.py --jobs                 # the main jobs only, no tests
    python tools/circle.py --tensorflow PYTHON    # record what TensorFlow does: PYTHON has it, TensorBoard and pytest
    python tools/circle.py --page                 # write the table of the last runs into docs/drop-in.md

An *environment* is a folder with the library and what it needs beside Reflow's own packages, installed without the
TensorFlow that it would pull in. For each library its quick start runs (`tools/circle_programs/start_NAME.py`: the
library's *main job*), and a pinned sample of its own tests: those that its wheel ships, those of an older wheel
(`tests_from`), the examples in its docstrings (`doctest:MODULE`), or, for libraries that ship none, the files below
`$REFLOW_CIRCLE_TESTS/NAME/`, a copy of its source tree.

`tools/data/circle_tensorflow.json.gz` holds what TensorFlow 2.21 does with the same programs and tests; a share counts
those that pass there. `tools/data/circle_expected.txt` lists what passes there and not here, with a reason; the exit
status is 1 if anything else fails, or if something listed passes.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("REFLOW_CIRCLE", Path.home() / ".cache" / "reflow" / "circle"))
RESULTS_FILE = FOLDER / "results.json"
TESTS = os.environ.get("REFLOW_CIRCLE_TESTS")
EXPECTED_FILE = ROOT / "tools" / "data" / "circle_expected.txt"
TENSORFLOW_FILE = ROOT / "tools" / "data" / "circle_tensorflow.json.gz"
PROGRAMS = ROOT / "tools" / "circle_programs"
PAGE = ROOT / "docs" / "drop-in.md"
MARKS = "<!-- circle: written by `python tools/circle.py --page` -->", "<!-- end of circle -->"
TIME = 900  # seconds, for a quick start or a group of tests
_WEB = "requests urllib3 idna certifi charset_normalizer"
_KERAS2 = f"tf_keras==2.21.0 six wrapt {_WEB}"
_PROBABILITY = f"tensorflow-probability==0.25.0 dm-tree cloudpickle decorator gast attrs {_KERAS2}"
_DATASETS = (
    "tensorflow-datasets==4.9.10 tensorflow-metadata etils importlib_resources dill immutabledict promise toml tqdm "
    "simple_parsing docstring_parser fsspec psutil pyarrow array_record googleapis-common-protos zipp six "
    f"wrapt dm-tree attrs {_WEB}"
)
_MODELS = (
    "tf-models-official==2.20.0 gin-config pyyaml tensorflow_hub==0.16.1 sentencepiece sacrebleu "
    f"tf_slim==1.1.0 tf_keras==2.21.0 {_DATASETS}"
)


@dataclasses.dataclass(frozen=True)
class Library:
    """A library: its requirements, its own tests that are run, and whether it asks for Keras 2.

    `tests` are groups: each is a pattern of files, or `doctest:MODULE`, and runs in one process. `tests_from` is a
    requirement whose wheel has the test files; they are copied below `own_tests/`, and `moved` says where the modules
    went since. `shipped` is false for a library whose tests are in no wheel. `keras2_tests` is true if its tests, other
    than its main job, want Keras 2."""

    name: str
    requirements: str
    tests: str = ""
    keras2: bool = False
    tests_from: str = ""
    moved: tuple[str, str] = ("", "")
    shipped: bool = True
    keras2_tests: bool = False


LIBRARIES = (
    Library("hub", f"tensorflow_hub==0.16.1 {_KERAS2}", "tensorflow_hub/*_test.py", shipped=False, keras2_tests=True),
    Library(
        "datasets",
        _DATASETS,
        "tensorflow_datasets/core/features/[bst]*_test.py "
        "tensorflow_datasets/core/features/class_label_feature_test.py tensorflow_datasets/core/splits_test.py "
        "tensorflow_datasets/core/example_*_test.py",
    ),
    Library(
        "tuner",
        f"keras-tuner==1.4.8 kt-legacy six scikit-learn threadpoolctl joblib narwhals cloudpickle {_WEB}",
        "own_tests/keras_tuner/engine/[cmot]*_test.py own_tests/keras_tuner/engine/hyperparameters/*_test.py",
        tests_from="keras-tuner==1.3.5",
        moved=("keras_tuner.", "keras_tuner.src."),
    ),
    Library("hparams", ""),
    Library(
        "sonnet",
        "dm-sonnet==2.0.2 tabulate dm-tree wrapt attrs",
        "sonnet/src/[bde]*_test.py sonnet/src/linear_test.py sonnet/src/recurrent_test.py "
        "sonnet/src/optimizers/adam_test.py",
    ),
    Library(
        "probability",
        _PROBABILITY,
        "own_tests/distributions/*_test.py own_tests/bijectors/*_test.py own_tests/mcmc/*_test.py",
        shipped=False,
    ),
    Library(
        "keras2", _KERAS2, "own_tests/layers/*_test.py own_tests/engine/*_test.py own_tests/saving/*_test.py",
        keras2=True, shipped=False,
    ),
    Library("keras_hub", f"keras-hub==0.32.0 kagglehub==0.3.13 tokenizers pyyaml tqdm regex {_WEB}"),
    Library(
        "transformers",
        "transformers==4.44.2 tokenizers==0.19.1 huggingface_hub==0.24.7 safetensors regex filelock pyyaml tqdm "
        f"fsspec {_KERAS2}",
        keras2=True,
    ),
    Library("onnx", f"tf2onnx==1.17.0 onnx==1.16.2 flatbuffers six {_WEB}"),
    Library("slim", f"tf_slim==1.1.0 {_KERAS2}", "tf_slim/losses/*_test.py tf_slim/ops/*_test.py"),
    Library("optimization", f"tensorflow-model-optimization==0.8.1 dm-tree attrs {_KERAS2}", keras2=True),
    Library(
        "recommenders",
        f"tensorflow-recommenders==0.7.7 {_KERAS2}",
        "tensorflow_recommenders/tasks/*_test.py tensorflow_recommenders/layers/loss_test.py "
        "tensorflow_recommenders/layers/feature_interaction/*_test.py tensorflow_recommenders/models/*_test.py",
        keras2=True,
    ),
    Library("ranking", f"tensorflow-ranking==0.5.5 tensorflow-serving-api==2.19.1 absl-py {_KERAS2}", keras2=True),
    Library("addons", f"tensorflow-addons==0.23.0 typeguard==2.13.3 {_KERAS2}", keras2=True),
    Library(
        "agents",
        f"tf-agents==0.19.0 gin-config gym cloudpickle {_PROBABILITY}",
        "tf_agents/trajectories/*_test.py tf_agents/specs/tensor_spec_test.py tf_agents/replay_buffers/table_test.py",
        keras2=True,
    ),
    Library(
        "vision",
        f"{_MODELS} opencv-python-headless pycocotools matplotlib contourpy cycler fonttools kiwisolver "
        "pyparsing python-dateutil",
        "official/vision/modeling/heads/segmentation_heads_test.py",
        keras2=True,
    ),
    Library(
        "nlp", _MODELS, "official/nlp/modeling/layers/[g]*_test.py official/nlp/modeling/losses/*_test.py", keras2=True
    ),
    Library("orbit", f"tf-models-official==2.20.0 {_KERAS2}", "orbit/*_test.py orbit/utils/*_test.py", keras2=True),
)


def _pip(folder: Path, requirements: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    subprocess.run([*command, *requirements.split()], check=True)


def installed(library: Library, fresh: bool) -> Path:
    """The folder of a library, with everything in it."""
    folder = FOLDER / library.name
    wanted = folder / "requirements.txt"
    asked = "\n".join([library.requirements, library.tests_from, *library.moved])
    if fresh or not wanted.exists() or wanted.read_text() != asked:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if library.requirements:
            _pip(folder, library.requirements)
        if library.tests_from:
            _pip(folder / "older", library.tests_from)
            for file in (folder / "older").rglob("*_test.py"):
                copy = folder / "own_tests" / file.relative_to(folder / "older")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(file.read_text().replace(*library.moved))
            shutil.rmtree(folder / "older")
        wanted.write_text(asked)
    if not library.shipped and TESTS and (Path(TESTS) / library.name).is_dir():
        shutil.copytree(Path(TESTS) / library.name, folder, dirs_exist_ok=True)
    return folder


def run(library: Library, folder: Path, python: str, *arguments: str, keras2: bool = False) -> tuple[int, str]:
    """Run a program with a library, on Reflow or, by another `python`, on TensorFlow.

    Its exit status and what it printed.
    """
    ours = python == sys.executable
    path = [str(ROOT), str(folder)] if ours else [str(folder)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(path), "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    env |= {"TF_USE_LEGACY_KERAS": "1"} if library.keras2 or keras2 else {}
    command = [python, "-m", "reflow", *arguments] if ours else [python, *arguments]
    try:
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=TIME)
    except subprocess.TimeoutExpired:
        return 124, f"over {TIME} s"
    return done.returncode, done.stdout + done.stderr


def last_error(output: str) -> str:
    """The line of an output that says what went wrong."""
    lines = [
        line for line in output.splitlines() if re.match(r"(E\s+)?\w[\w.]*(Error|Exception|Exit|over \d+ s)\b", line)
    ]
    return re.sub(r" \(/\S*\)", "", (lines or output.splitlines() or [""])[-1])[:140]  # without the file of a module


def listed() -> dict[str, str]:
    """What does not pass, by `library start` or `library FILE::TEST`, and why."""
    lines = [line for line in EXPECTED_FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {what.strip(): why.strip() for what, _, why in (line.partition("  # ") for line in lines)}


def of_tensorflow() -> dict[str, dict[str, str]]:
    """{library: {what was run on TensorFlow: "" if it passed, else what went wrong}}."""
    return json.loads(gzip.decompress(TENSORFLOW_FILE.read_bytes())) if TENSORFLOW_FILE.exists() else {}


def of_reflow() -> dict[str, dict[str, str]]:
    """The same of the last runs on Reflow."""
    return json.loads(RESULTS_FILE.read_text()) if RESULTS_FILE.exists() else {}


def group_results(library: Library, folder: Path, group: str, python: str) -> dict[str, str]:
    """{test: "" if it passed, else what went wrong} of one group of tests."""
    if group.startswith("doctest:"):
        words = [str(PROGRAMS / "docstring_examples.py"), group.removeprefix("doctest:")]
    else:
        files = sorted(str(file.relative_to(folder)) for file in folder.glob(group))
        if not files:
            return {}
        words = [str(PROGRAMS / "run_tests.py"), *files]
    _, output = run(library, folder, python, *words, keras2=library.keras2_tests)
    return outcomes(library.name, output) or {f"{library.name} {group}": last_error(output)}


def outcomes(name: str, output: str) -> dict[str, str]:
    """The results in what pytest printed.

    A test of which a part failed has failed; addresses in the names of tests are left out.
    """
    results: dict[str, str] = {}
    for how, test, why in re.findall(
        r"^(PASSED|FAILED|ERROR|SUBFAILED)(?:\[.*?\])? (?:\S*/)?(\S+?\.py(?:::.+?)?)(?: - (.*))?$", output, re.MULTILINE
    ):
        what = f"{name} {re.sub('0x[0-9a-f]+', '0x', test)}"
        results[what] = results.get(what) or ("" if how == "PASSED" else why or how)
    return results


def results_of(library: Library, fresh: bool, python: str, tests: bool) -> dict[str, str]:
    """{what was run: "" if it passed, else what went wrong}: the main job, and the tests if they are wanted."""
    folder = installed(library, fresh)
    status, output = run(library, folder, python, str(PROGRAMS / f"start_{library.name}.py"))
    results = {f"{library.name} start": "" if status == 0 else last_error(output)}
    for group in library.tests.split() if tests else ():
        results |= group_results(library, folder, group, python)
    return results


def share(library: Library, results: dict[str, str], theirs: dict[str, str]) -> str:
    """Of the tests that pass on TensorFlow, those that pass here."""
    wanted = [what for what, why in theirs.items() if not why and not what.endswith(" start")]
    if not wanted or len(results) == 1:  # only the main job was run
        return "–" if library.shipped else "its tests are in no package"
    passed = sum(results.get(what) == "" for what in wanted)
    return f"{passed} / {len(wanted)} ({100 * passed / len(wanted):.1f}%)"


def row(library: Library, results: dict[str, str], theirs: dict[str, str]) -> str:
    start, on_tensorflow = results[f"{library.name} start"], theirs.get(f"{library.name} start", "")
    version = (library.requirements.split() or ["with TensorBoard"])[0]
    job = start.replace("|", "/") or "works"
    if on_tensorflow:
        job += f" (TensorFlow 2.21 itself: {on_tensorflow.replace('|', '/')})"
    return f"| {library.name} | {version} | {job} | {share(library, results, theirs)} |"


HEAD = "| library | version | main job | own tests, here / on TensorFlow |\n|---|---|---|---|"


def wrong(results: dict[str, str], theirs: dict[str, str]) -> list[str]:
    """What is not as the list says: failures that TensorFlow does not share, and listed tests that pass."""
    known = listed()
    fails = [
        f"fails and is not listed: {what}: {why}" for what, why in results.items()
        if why and not theirs.get(what) and what not in known
    ]
    missing = [
        f"does not run: {what}" for what, why in theirs.items()
        if not why and what not in results and what not in known and len(results) > 1  # else only the main job was run
    ]
    return fails + missing + [f"passes and is listed: {what}" for what in known if results.get(what) == ""]


def write_page() -> None:
    """Put the table of the last runs into the page."""
    ours, theirs = of_reflow(), of_tensorflow()
    rows = [
        row(library, ours[library.name], theirs.get(library.name, {})) for library in LIBRARIES if library.name in ours
    ]
    text = PAGE.read_text()
    before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n" + "\n".join([HEAD, *rows]) + f"\n\n{MARKS[1]}{after}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="of libraries; all if there are none")
    parser.add_argument("--fresh", action="store_true", help="install anew")
    parser.add_argument(
        "--jobs", action="store_true", help="run the main jobs only; results of tests stay as they were"
    )
    parser.add_argument("--tensorflow", metavar="PYTHON", help="run on real TensorFlow, and record what it does")
    parser.add_argument("--page", action="store_true", help="write the table of the last runs into docs/drop-in.md")
    options = parser.parse_args()
    if options.page:
        write_page()
        return 0
    differences: list[str] = []
    print(HEAD)
    for library in (library for library in LIBRARIES if not options.names or library.name in options.names):
        before = (of_tensorflow() if options.tensorflow else of_reflow()).get(library.name, {}) if options.jobs else {}
        results = before | results_of(library, options.fresh, options.tensorflow or sys.executable, not options.jobs)
        theirs = results if options.tensorflow else of_tensorflow().get(library.name, {})
        print(row(library, results, theirs), flush=True)
        if options.tensorflow:
            recorded = of_tensorflow() | {library.name: results}
            TENSORFLOW_FILE.write_bytes(gzip.compress(json.dumps(recorded, sort_keys=True).encode(), mtime=0))
        else:
            differences += wrong(results, theirs)
            RESULTS_FILE.write_text(json.dumps(of_reflow() | {library.name: results}, indent=1))
    print(*differences, sep="\n", end="\n" if differences else "")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
