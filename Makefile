# Every target does its own set-up. A fresh machine needs python3 (3.11 or newer), pip and make.
#
#   make demo    the main job: a regression with GradientTape, then a Keras model
#   make test    lint, types, tests
#   make bench   a table of speed ratios against real TensorFlow 2.21, which gets a venv of its own, and ONNX Runtime (ONLY=engine: those rows)
#   make bench-gpu   training steps on a GPU, Keras on Reflow beside Keras on JAX
#   make bench-scaling   how the time of a step grows with batch, width, variables and nodes, beside TensorFlow's
#   make namespaces     writes reflow/public/ and reflow/__init__.pyi from the @export decorators
#   make api     how many of TensorFlow's public names and ops are present; writes docs/compatibility.md
#   make keras-tests    Keras' own tests on Reflow (half an hour to an hour; continues where it stopped; FRESH=1 starts over)
#   make tensorflow-tests   TensorFlow's own tests on Reflow, from the folder TF_TESTS (an hour; continues where it stopped; AREAS="eager ops/ragged")
#   make doctests   the examples in TensorFlow's docstrings, on TensorFlow and on Reflow (a minute; ONLY=tf.strings, KERAS=1)
#   make fuzz-functions   random functions, eager against interpreted against compiled (COUNT=200 of them; SEED=7 repeats a run)
#   make onnx-tests   ONNX' own node tests on Reflow (a minute; TESTS=conv runs those whose name matches)
#   make sanitize   the kernels in C++ under the sanitizers, on random and hostile sizes (SECONDS=60; SEED=7 repeats a run)
#   make attack  hostile calls, damaged files, faults, leaks (PART=ops|files|faults|leaks, COUNT=200000, JOBS=16, SEED=7, ONLY=Conv, FRESH=1; tools/attack/)
#   make golden  record anew what real TensorFlow gives, for the tests (ONLY="ops nn": these; NEW=1: new op cases alone; see tools/golden/)
#   make memory  the memory tests in full: 10,000 traces of one function, 2,000 fits (10 minutes)
#   make stress  2,000 steps on eight devices beside a busy loop; 500 closures while a worker is killed (COUNT=100: fewer; two minutes)
#   make data-scale   10 million elements, a TFRecord file of 5 GB, 200,000 files: bounded memory, constant rate (some minutes; SHARE=0.01: less)
#   make docs    the site below build/site; warnings are errors
#   make pictures   draws the guide's pictures anew, from programs that it runs (docs/pictures)
#   make wheel   wheels below dist/: with kernels for x86-64, for aarch64 if there is a cross compiler, and without
#   make venv    the set-up alone

# Tests start hundreds of processes that import Reflow: 0.5 s of each would be compiling its modules anew.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

# Real TensorFlow, for `make bench` and `make golden` only. Set REFLOW_TF_PYTHON to a python that has it already.
BENCH_VENV := .bench-venv
ifdef REFLOW_TF_PYTHON
TF_PY := $(REFLOW_TF_PYTHON)
TF_READY :=
else
TF_PY := $(BENCH_VENV)/bin/python
TF_READY := $(BENCH_VENV)/.ready
endif

# Keras' own tests import packages that nothing else here needs (torch, grain, pandas…).
KERAS_VENV := .keras-venv
KERAS_PY := $(KERAS_VENV)/bin/python
KERAS_READY := $(KERAS_VENV)/.ready

# -qq: errors only; the exit status still stops make.
PIP_INSTALL := -m pip install -qq --disable-pip-version-check --no-input

# TensorFlow Hub, of which `make test` runs a little: it asks for tf-keras, which asks for TensorFlow.
WITHOUT_TENSORFLOW := tensorflow_hub==0.16.1

.PHONY: demo test lint bench bench-gpu bench-scaling golden namespaces api keras-tests circle tensorflow-tests doctests fuzz-functions onnx-tests sanitize attack memory stress data-scale kill-saves docs pictures wheel venv clean
.DEFAULT_GOAL := test

venv: $(READY)

$(READY): pyproject.toml
	@echo "setting up $(VENV) (once, and again when pyproject.toml changes)"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) $(PIP_INSTALL) -e '.[dev]'
	@$(PY) $(PIP_INSTALL) --no-deps $(WITHOUT_TENSORFLOW)
	@$(PY) -m reflow.native
	@touch $@

demo: $(READY)
	@$(PY) -m reflow examples/demo.py

test: $(READY)
	$(PY) -m pytest -n 2 -q

lint: $(READY)
	$(PY) -m ruff check
	$(PY) -m mypy

$(BENCH_VENV)/.ready: Makefile
	@echo "setting up $(BENCH_VENV) with real TensorFlow (once)"
	@test -x $(TF_PY) || $(PYTHON) -m venv $(BENCH_VENV)
	@$(TF_PY) $(PIP_INSTALL) 'tensorflow-cpu==2.21.0' 'keras>=3.15,<3.16' 'tf_keras==2.21.0'
	@touch $@

$(VENV)/.ready-bench: $(READY)
	@$(PY) $(PIP_INSTALL) -e '.[bench]'
	@touch $@

# ONLY=engine runs the rows whose name or group has this text.
bench: $(VENV)/.ready-bench $(TF_READY)
	@$(PY) bench/run.py --tf-python '$(TF_PY)' $(if $(ONLY),--only '$(ONLY)')

# On a machine with an NVIDIA GPU whose JAX finds it (`pip install -e '.[gpu]'`); see docs/gpu.md.
bench-gpu: $(READY)
	@$(PY) bench/gpu.py

bench-scaling: $(READY) $(TF_READY)
	@$(PY) bench/scaling.py --tf-python '$(TF_PY)'

golden: $(READY) $(TF_READY)
	@$(if $(NEW),NEW=1) $(PY) -m tools.golden --tf-python '$(TF_PY)' $(ONLY)

namespaces: $(READY)
	@$(PY) tools/make_namespaces.py

api: $(READY)
	@$(PY) tools/api_report.py --page

$(KERAS_READY): pyproject.toml
	@echo "setting up $(KERAS_VENV) (once, and again when pyproject.toml changes)"
	@test -x $(KERAS_PY) || $(PYTHON) -m venv $(KERAS_VENV)
	@$(KERAS_PY) $(PIP_INSTALL) -e '.[keras-tests]'
	@touch $@

# KERAS_TESTS="ops losses/losses_test.py" runs a part; see docs/keras-tests.md.
keras-tests: $(KERAS_READY)
	@$(KERAS_PY) tools/keras_tests.py $(if $(FRESH),--fresh) --jobs 2 $(KERAS_TESTS)

$(VENV)/.ready-tensorflow-tests: $(READY)
	@$(PY) $(PIP_INSTALL) -e '.[tensorflow-tests]'
	@touch $@

# AREAS="eager framework/ops_test.py" runs a part, TF_TESTS=folder names the tests; see docs/tensorflow-tests.md.
tensorflow-tests: $(VENV)/.ready-tensorflow-tests
	@$(PY) tools/tensorflow_tests.py $(if $(FRESH),--fresh) --jobs 2 $(AREAS)

doctests: $(READY) $(TF_READY)
	@$(PY) -m tools.doctests --tf-python '$(TF_PY)' $(if $(ONLY),--only $(ONLY)) $(if $(KERAS),--keras) $(if $(FRESH),--fresh)

# LIBRARIES="sonnet hub" runs a part; see docs/drop-in.md.
circle: $(READY)
	@$(PY) tools/circle.py $(if $(FRESH),--fresh) $(if $(JOBS),--jobs) $(LIBRARIES)

# REFLOW_TF_PYTHON, if it is set, is asked what TensorFlow does where modes disagree.
fuzz-functions: $(READY)
	@$(PY) tools/fuzz_functions.py --count $(or $(COUNT),200) $(if $(SEED),--seed $(SEED)) $(if $(REFLOW_TF_PYTHON),--tensorflow $(REFLOW_TF_PYTHON))

onnx-tests: $(READY)
	@$(PY) -m tools.onnx_tests $(if $(UPDATE),--update) $(TESTS)

sanitize: $(READY)
	@$(PY) -m tools.fuzz_kernels --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

# Compared with TensorFlow if REFLOW_TF_PYTHON names a python that has it; continues where it stopped, for a seed that is given.
attack: $(READY)
	@$(PY) -m tools.attack $(PART) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(JOBS),--jobs $(JOBS)) $(if $(ONLY),--only $(ONLY)) $(if $(FRESH),--fresh) $(if $(REFLOW_TF_PYTHON),--tf-python $(REFLOW_TF_PYTHON))

$(VENV)/.ready-docs: $(READY)
	@$(PY) $(PIP_INSTALL) -e '.[docs]'
	@touch $@

# Without -q, which hides warnings from `strict` too.
docs: $(VENV)/.ready-docs
	@$(PY) tools/make_docs.py
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --clean

pictures: $(READY)
	@$(PY) -m tools.make_pictures

wheel: $(READY)
	@$(PY) tools/make_wheel.py

# COUNT kills of programs that save checkpoints, at random moments.
kill-saves: $(READY)
	@$(PY) -m tools.kill_saves --count $(or $(COUNT),1000) $(if $(SEED),--seed $(SEED))

stress: $(READY)
	@$(PY) -m tools.stress devices --count $(or $(COUNT),2000)
	@$(PY) -m tools.stress cluster --count $(or $(COUNT),500)

data-scale: $(READY)
	@$(PY) -m tools.data_scale --share $(or $(SHARE),1)

memory: $(READY)
	REFLOW_LONG_TESTS=1 $(PY) -m pytest -q tests/memory

clean:
	rm -rf .keras-tests .attack $(VENV) $(BENCH_VENV) $(KERAS_VENV) .mypy_cache .ruff_cache .pytest_cache *.egg-info build
