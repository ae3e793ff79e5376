"""Record anew what real TensorFlow gives (`make golden`).

    .venv/bin/python -m tools.golden --tf-python PYTHON            # everything
    .venv/bin/python -m tools.golden --tf-python PYTHON ops nn     # two scripts
    .venv/bin/python -m tools.golden --list                        # which there are

Each script runs in a process of its own, on the CPU. Then TensorFlow reads what Reflow writes, where a script goes both
ways. `tests/golden/manifest.json` notes what was made. The exit status is 1 if a script failed; its recording stays as
it was noted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from tests import ROOT
from tools.golden import manifest

ENVIRONMENT = os.environ | {
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "REFLOW_SITE_PACKAGES": sysconfig.get_paths()["purelib"],
    "PYTHONHASHSEED": "0",
}
#: scripts that run on oneDNN's kernels, as TensorFlow does by itself on most processors. The others do without: with
#: them it aborts on bad input
ONEDNN = ("nn", "ops")
VERSIONS = (
    "import json, keras, numpy, tensorflow; "
    "print(json.dumps({m.__name__: m.__version__ for m in (tensorflow, keras, numpy)}))"
)


def call(*command: str | Path, onednn: bool = False) -> str:
    """The output of a command that must succeed, run in the repository's folder."""
    environment = ENVIRONMENT | {"TF_ENABLE_ONEDNN_OPTS": str(int(onednn))}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.stdout


def record(name: str, tensorflow: str, versions: dict[str, str]) -> list[str]:
    """Run one script, both ways if it has two. Returns the files that came out different."""
    module = f"tools.golden.{name}"
    call(tensorflow, "-m", module, onednn=name in ONEDNN)
    if name in manifest.BOTH_WAYS:
        with tempfile.TemporaryDirectory() as temporary:
            folder = manifest.BOTH_WAYS[name] or Path(temporary) / name
            call(sys.executable, "-m", "reflow", "-m", module, "--write", folder)
            call(tensorflow, "-m", module, "--check", folder)
    return manifest.note(name, versions)


def shown(changed: list[str]) -> str:
    """The files that changed, in a line that can be read."""
    more = f" and {len(changed) - 4} more" if len(changed) > 4 else ""
    return f"changed: {', '.join(changed[:4])}{more}" if changed else "as before"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scripts to run; all of them without")
    parser.add_argument("--tf-python", default=os.environ.get("REFLOW_TF_PYTHON"), help="a Python that has TensorFlow")
    parser.add_argument("--list", action="store_true", help="only print the scripts and their files")
    options = parser.parse_args()
    if options.list:
        for name, files in manifest.FILES.items():
            print(f"{name:20} {' '.join(files)}")
        return 0
    unknown = set(options.names) - manifest.FILES.keys()
    if unknown or not options.tf_python:
        parser.error(f"no such script: {', '.join(sorted(unknown))}" if unknown else "--tf-python is missing")
    versions = json.loads(call(options.tf_python, "-c", VERSIONS).splitlines()[-1])
    failed = []
    for name in options.names or manifest.FILES:
        start = time.monotonic()
        try:
            changed = record(name, options.tf_python, versions)
        except subprocess.CalledProcessError as error:
            failed.append(name)
            print(f"{name}: FAILED, {error}")
        else:
            print(f"{name}: {time.monotonic() - start:.0f} s, {shown(changed)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
