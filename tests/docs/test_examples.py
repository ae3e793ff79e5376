"""Examples in docstrings: every public function and class has one, and all of them print what they say.

`tf.__internal__` is not held to it, nor the classes of `tf.errors`: their base class has the example.
"""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import reflow
from reflow import loading
from reflow.api.export import TABLE

#: names without an example, by the reason
WITHOUT = {
    "it asks a cluster's manager": """
        distribute.cluster_resolver.GCEClusterResolver distribute.cluster_resolver.KubernetesClusterResolver
        distribute.cluster_resolver.SlurmClusterResolver""",
    "a setting that may only be made before the runtime starts, or that would change other tests": """
        config.experimental.enable_op_determinism config.experimental.set_device_policy
        config.experimental.set_synchronous_execution config.optimizer.set_experimental_options
        config.set_logical_device_configuration config.set_visible_devices
        config.threading.set_inter_op_parallelism_threads config.threading.set_intra_op_parallelism_threads
        data.experimental.enable_debug_mode""",
    "it says something only where there is a GPU": """
        config.experimental.get_memory_growth config.experimental.get_memory_info config.experimental.get_memory_usage
        config.experimental.reset_memory_stats config.experimental.set_memory_growth test.is_gpu_available""",
    "it only says what is missing": """
        load_library load_op_library sysconfig.get_compile_flags
        sysconfig.get_include sysconfig.get_lib sysconfig.get_link_flags""",
    "a class that programs only test for, or a plain named tuple": """
        distribute.DistributedDataset distribute.DistributedIterator distribute.InputOptions distribute.RunOptions
        distribute.experimental.ValueContext types.experimental.distributed.Mirrored
        types.experimental.distributed.PerReplica types.experimental.GenericFunction NoneTensorSpec""",
    "it changes the registry of gradients for good, or leaves the process": """
        RegisterGradient no_gradient test.main""",
}
NAMES = frozenset(name for names in WITHOUT.values() for name in names.split())
PACKAGE = Path(reflow.__file__).parent
MODULES = sorted(
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    for file in PACKAGE.rglob("*.py")
    if ">>>" in file.read_text() and "keras" not in file.parts  # Keras itself would have to be there
)


def public():
    """(name, object) of the functions and classes of ours, each under its first name."""
    loading.everything()
    seen = set()
    for name, thing in TABLE.items():
        if name.startswith(("__internal__.", "errors.")) or not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        if id(thing) not in seen and (thing.__module__ or "").startswith("reflow."):
            seen.add(id(thing))
            yield name, thing


def test_every_public_function_has_an_example():
    missing = {name for name, thing in public() if ">>>" not in (thing.__doc__ or "")}
    assert missing - NAMES == set()
    assert NAMES - missing == set(), "these have an example now"


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_print_what_they_say(name):
    module = importlib.import_module(name)
    reports: list[str] = []
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, globs=_names(module)):
        reflow.random.set_seed(3)
        doctest.DocTestRunner().run(example, out=reports.append)
    assert not reports, "".join(reports)


def _names(module) -> dict:
    """What an example sees: `tf`, and its module's names, but compiled as the user's code is,
    whose annotations are no strings."""
    return {name: value for name, value in vars(module).items() if name != "annotations"} | {"tf": reflow}
