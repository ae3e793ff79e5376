"""Write the modules of `reflow/public/`, one per namespace of TensorFlow, the stubs `reflow/**/*.pyi`, and the index of
ops (`make namespaces`).

    python tools/make_namespaces.py            # writes them
    python tools/make_namespaces.py --check    # exit status 1, and the names of the files, if they would change

A public thing says its names where it is defined (`@export("add", "math.add")`, `reflow/api/export.py`). Its *home* is
the module and the name at the top level there to which a `def`, a `class` or an assignment binds it; a thing that no
such statement binds (a message class of protobuf) is imported from the module that exports it. The namespaces then
consist of ordinary imports, which editors and type checkers follow. Where a module stands at run time only
(`reflow.math` is `reflow.public.math`, `reflow.keras` is Keras), a stub stands for it.

What is the same thing in TensorFlow 1 and 2 is exported once: `tools/data/v1_names.json.gz` (recorded by
`tools/private_names.py`) says under which names below `tf.compat.v1` it is known too.
"""

from __future__ import annotations

import argparse
import ast
import collections
import functools
import gzip
import importlib
import importlib.util
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "reflow"
PUBLIC = PACKAGE / "public"
V1_NAMES = ROOT / "tools" / "data" / "v1_names.json.gz"
#: namespaces that `import keras` loads and few programs use: their names, and the modules behind them (JAX, gRPC,
#: absl), are loaded on demand
DEFERRED = (
    "__internal__.data", "__internal__.distribute", "__internal__.distribute.combinations", "__internal__.freeze",
    "__internal__.saved_model", "__internal__.test.combinations", "experimental.dtensor",
)  # fmt: skip
WIDTH = 120  # columns of a line
HEADER = "# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.\n"

#: Keras as TensorFlow exposes it
KERAS = "keras._tf_keras.keras"
#: its modules that TensorFlow also has at its top level
FROM_KERAS = ("initializers", "losses", "metrics", "optimizers")

sys.path.insert(0, str(ROOT))


class Home(NamedTuple):
    """Where a public thing is defined."""

    module: str
    name: str


def exported() -> tuple[dict[str, Any], dict[str, str]]:
    """Public name -> thing, and -> the module that exports it, with all of Reflow loaded."""
    # what was written before does not matter
    sys.modules.setdefault("reflow.public", types.ModuleType("reflow.public"))
    importlib.import_module("reflow.loading").everything()
    from reflow.api.export import EXPORTED_BY, TABLE

    things, modules = dict(TABLE), dict(EXPORTED_BY)
    for old, new in json.loads(gzip.decompress(V1_NAMES.read_bytes())).items():
        if new in TABLE and f"compat.v1.{old}" not in TABLE:
            things[f"compat.v1.{old}"], modules[f"compat.v1.{old}"] = TABLE[new], EXPORTED_BY[new]
    return things, modules


@functools.cache
def defined_in(module: str) -> frozenset[str]:
    """The names that statements at the top level of a module bind, imports apart."""
    names: set[str] = set()
    file = sys.modules[module].__file__ or ""
    statements = list(ast.parse(Path(file).read_text()).body)
    while statements:
        statement = statements.pop()
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            names.add(statement.name)
        else:
            statements += [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]
            names |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(names)


class Homes:
    """Finds the home of public things among all modules of Reflow."""

    def __init__(self) -> None:
        importlib.import_module("reflow.loading").everything()
        self.bindings: dict[int, list[Home]] = collections.defaultdict(list)
        for module, loaded in list(sys.modules.items()):
            # `reflow.math` is `reflow.public.math`
            public = getattr(loaded, "__name__", "").startswith("reflow.public")
            if module.startswith("reflow.") and not public and hasattr(loaded, "__file__"):
                for name, value in vars(loaded).items():
                    self.bindings[id(value)].append(Home(module, name))

    def find(self, public: str, thing: Any, exporter: str) -> Home:
        """The home of `tf.<public>`."""
        leaf = public.rpartition(".")[2]
        bindings = self.bindings[id(thing)]
        if isinstance(thing, (str, int, float, tuple, type(None))):  # equal values may be one object
            bindings = [b for b in bindings if b.name == leaf]
        found = [b for b in bindings if b.name in defined_in(b.module)] or [b for b in bindings if b.module == exporter]
        if not found:
            raise LookupError(f"tf.{public}: nothing at the top level of {exporter} is bound to it")
        return min(
            found, key=lambda home: (home.name != leaf, home.module != exporter, home.name.startswith("_"), home)
        )


def namespaces() -> dict[str, dict[str, Home]]:
    """Namespace ("" is `tf` itself) -> name -> home."""
    things, modules = exported()
    homes = Homes()
    spaces: dict[str, dict[str, Home]] = collections.defaultdict(dict)
    homeless = []
    for public, thing in things.items():
        space, _, leaf = public.rpartition(".")
        try:
            spaces[space][leaf] = homes.find(public, thing, modules[public])
        except LookupError as error:
            homeless.append(str(error))
        while space:  # a namespace may hold nothing but other namespaces
            space = space.rpartition(".")[0]
            spaces[space]  # noqa: B018 - makes the entry
    if homeless:
        raise SystemExit("\n".join(homeless))
    return dict(spaces)


def children(space: str, spaces: dict[str, dict[str, Home]]) -> list[str]:
    """The names of the namespaces right below one."""
    return sorted(s.rpartition(".")[2] for s in spaces if s and s.rpartition(".")[0] == space)


def second_names(names: dict[str, Home]) -> dict[str, str]:
    """What a namespace has under its own name too: `mod` is `floormod`."""
    return {
        leaf: home.name for leaf, home in sorted(names.items()) if leaf != home.name and names.get(home.name) == home
    }


def import_lines(space: str, spaces: dict[str, dict[str, Home]]) -> list[str]:
    """The imports of one namespace, and those of the namespaces right below it."""
    names, again = spaces[space], second_names(spaces[space])
    lines = [f"from {home.module} import {home.name} as {leaf}" for leaf, home in names.items() if leaf not in again]
    inside = ".".join(["reflow.public", *([space] if space else [])])
    if space:  # those right below `tf` are loaded when they are used: see reflow/core/namespaces.py
        lines += [f"from {inside} import {child} as {child}" for child in children(space, spaces)]
    if space == "compat":
        lines.append("import reflow as v2")
    if space == "compat.v1":
        lines.append("import reflow.keras.version_one as keras")  # a `from` would ask Keras for the name
    if space == "compat.v1.compat":
        lines += ["import reflow as v2", "import reflow.public.compat.v1 as v1"]
    return sorted(lines)


#: one line on each namespace; those below `tf.compat.v1` are described by their names
ABOUT = {
    "": "the names right below `tf`.",
    "__internal__": "what Keras and other libraries use of TensorFlow's insides.",
    "audio": "audio files.",
    "autodiff": "gradients by tape, forward and reverse.",
    "autograph": "Python code as graph code, by hand.",
    "bitwise": "operations on the bits of integers.",
    "compat": "text and shapes in all versions; TensorFlow 1 in `v1`.",
    "compat.v1": "TensorFlow 1.",
    "config": "devices and settings of the runtime.",
    "data": "input pipelines.",
    "debugging": "checks that raise.",
    "distribute": "training on several devices.",
    "dtypes": "types of tensors' elements.",
    "errors": "exceptions.",
    "experimental": "extension types, row partitions, and other things that may change.",
    "graph_util": "tools for GraphDefs.",
    "image": "images: files, sizes, colours, crops, quality.",
    "io": "files, records, parsing, encodings.",
    "linalg": "products, factorisations, diagonals, norms.",
    "lookup": "tables from keys to values.",
    "math": "elementwise functions, reductions, segments.",
    "nest": "nested structures.",
    "nn": "activations, convolutions, pooling, losses, embeddings.",
    "profiler": "profiles for TensorBoard.",
    "quantization": "quantized numbers.",
    "ragged": "tensors with rows of different lengths.",
    "random": "random numbers.",
    "saved_model": "SavedModels.",
    "sets": "sets in the last dimension.",
    "signal": "Fourier transforms, frames, windows.",
    "sparse": "sparse tensors.",
    "strings": "strings in tensors.",
    "summary": "event files for TensorBoard.",
    "sysconfig": "facts about this build.",
    "test": "test cases, and what this build can test.",
    "tpu": "TPUs, which Reflow does not drive.",
    "train": "checkpoints, and the messages in record files.",
    "types": "types for annotations.",
    "version": "the version of TensorFlow whose programs run here.",
}


def about(space: str) -> str:
    """The docstring of a namespace's module."""
    title = f"`tf.{space}`" if space else "`tf`"
    return f'"""{title}: {ABOUT[space]}"""' if space in ABOUT else f'"""The namespace {title}."""'


def as_list(names: list[str]) -> str:
    """`__all__`, in lines of at most `WIDTH` characters."""
    lines, line = [], "   "
    for name in names:
        word = f' "{name}",'
        if len(line) + len(word) > WIDTH:
            lines.append(line)
            line = "   "
        line += word
    return "__all__ = [\n" + "\n".join([*lines, line]) + "\n]\n"


def twin(space: str, spaces: dict[str, dict[str, Home]]) -> str | None:
    """The namespace of TensorFlow 2 that has the same names as one of TensorFlow 1, for the same things,
    and no other below it."""
    other = space.removeprefix("compat.v1.")
    same = other != space and spaces.get(other) == spaces[space]
    return other if same and not children(other, spaces) and not children(space, spaces) else None


def module_text(space: str, spaces: dict[str, dict[str, Home]]) -> str:
    """The module of one namespace."""
    other = twin(space, spaces)
    if other is not None:
        title = f'"""The namespace `tf.{space}`: the names of `tf.{other}`."""'
        return "\n".join([HEADER + title, "", f"from reflow.public.{other} import *", ""])
    lines = import_lines(space, spaces)
    later = deferred_lines(space, lines)
    names = {line.split()[-1] for line in later}
    again = second_names(spaces[space])
    at_once = [f"{leaf} = {name}" for leaf, name in again.items() if name not in names]
    homes = spaces[space]
    on_demand = [
        f"    from {homes[leaf].module} import {name} as {leaf}" for leaf, name in again.items() if name in names
    ]
    text = [HEADER + about(space), ""]
    if later:
        text += ["from typing import TYPE_CHECKING", ""]
    text += [line for line in lines if line not in later]
    if later:
        text += [
            "from reflow.core.namespaces import later", "", "if TYPE_CHECKING:", *(f"    {line}" for line in later),
            *on_demand,
        ]
    text += ["", *at_once, ""] if at_once else [""]
    if later:
        text += ["__getattr__ = later(__name__)", ""]
    if later or any(renames(line) for line in lines):
        text.append(as_list(sorted([*(line.split()[-1] for line in lines), *again])))
    return "\n".join(folded(line) for line in text)


def folded(line: str) -> str:
    """An import that is too long for one line, on three."""
    if len(line) <= WIDTH or not line.lstrip().startswith("from "):
        return line
    head, name = line.split(" import ")
    indent = " " * (len(line) - len(line.lstrip()))
    return f"{head} import (\n{indent}    {name},\n{indent})"


@functools.cache
def loaded_anyway() -> set[str]:
    """The modules that `import reflow` loads before the names of `tf`."""
    code = (
        "import sys, types; sys.modules['reflow.public'] = types.ModuleType('reflow.public'); import "
        "reflow; print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    return set(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split())


def deferred_lines(space: str, lines: list[str]) -> list[str]:
    """The imports of a namespace whose names are loaded when somebody asks for them: those of `DEFERRED`, but for the
    namespaces below, and of `tf` itself, but for the modules that every program loads (`import reflow` is 8% faster for
    it)."""
    if space in DEFERRED:
        return [line for line in lines if line.split()[1] != f"reflow.public.{space}"]
    return [line for line in lines if line.split()[1] not in loaded_anyway()] if not space else []


def deferred_homes(spaces: dict[str, dict[str, Home]]) -> str:
    """`reflow/public/deferred.txt`: a line for each public name that is loaded later,
    with its module and its name there."""
    found = []
    for space in ("", *DEFERRED):
        prefix = f"{space}." if space else ""
        homes = {line.split()[-1]: line.split()[1::2] for line in deferred_lines(space, import_lines(space, spaces))}
        homes |= {leaf: homes[name] for leaf, name in second_names(spaces[space]).items() if name in homes}
        found += [f"{prefix}{leaf} {module} {name}\n" for leaf, (module, name, *_) in homes.items()]
    return "".join(sorted(found))


def renames(line: str) -> bool:
    """Whether an import needs `__all__` to be an export: `import x as x` says so itself, if x is no private name."""
    *_, name, _, public = line.split()
    return name != public or public.startswith("_")


def stub_text(spaces: dict[str, dict[str, Home]]) -> str:
    """`reflow/__init__.pyi`: what a type checker and an editor see as `reflow`."""
    lines = [f"from reflow.public import {child} as {child}" for child in children("", spaces)]
    return "\n".join(
        [
            HEADER + '"""TensorFlow 2, written again in readable Python on JAX and XLA."""',
            "",
            f"from {KERAS.rpartition('.')[0]} import keras as keras",
            *(f"from {KERAS} import {name} as {name}" for name in FROM_KERAS),
            "",
            "from reflow import datasets as datasets",
            "from reflow.drop_in.install import install_as_tensorflow as install_as_tensorflow",
            "from reflow.public import *",
            *lines,
            "",
            "__version__: str",
            "",
        ]
    )


def star_text(module: str) -> str:
    """A stub that shows the names of another module."""
    return f"{HEADER}from {module} import *\n"


def keras_text(module: str) -> str:
    """The stub of a module of Keras. Type checkers that do not look into Keras, which has no types, take any name."""
    return f"{HEADER}from typing import Any\n\nfrom {module} import *\n\ndef __getattr__(name: str) -> Any: ...\n"


def keras_modules() -> list[str]:
    """The names of the public modules of Keras, from its files: importing it takes seconds."""
    found = importlib.util.find_spec("keras")
    assert found is not None and found.origin is not None
    folder = Path(found.origin).parent.joinpath(*KERAS.split(".")[1:])
    return sorted(path.parent.name for path in folder.glob("*/__init__.py"))


def stubs(spaces: dict[str, dict[str, Home]]) -> dict[Path, str]:
    """The stubs and what they hold."""
    texts = {
        PACKAGE / "__init__.pyi": stub_text(spaces),
        PACKAGE / "compat" / "v1.pyi": star_text("reflow.public.compat.v1"),
    }
    for space in children("", spaces):
        is_room = (PACKAGE / space / "__init__.py").exists()
        file = PACKAGE / space / "__init__.pyi" if is_room else PACKAGE / f"{space}.pyi"
        texts[file] = star_text(f"reflow.public.{space}")
    texts[PACKAGE / "keras" / "__init__.pyi"] = keras_text(KERAS)
    for name in keras_modules():
        texts[PACKAGE / "keras" / f"{name}.pyi"] = keras_text(f"{KERAS}.{name}")
    return texts


def check_rooms(spaces: dict[str, dict[str, Home]]) -> None:
    """A folder of Reflow that is a namespace too (`reflow/data`) has no module with the name of something public."""
    taken = []
    for space in filter(None, spaces):
        folder = PACKAGE.joinpath(*space.split("."))
        for name in [*spaces[space], *children(space, spaces)]:
            if (folder / f"{name}.py").exists() or (folder / name / "__init__.py").exists():
                taken.append(f"reflow/{space.replace('.', '/')}/{name}.py has the name of tf.{space}.{name}: rename it")
    if taken:
        raise SystemExit("\n".join(taken))


def op_index() -> str:
    """The index of records: which module registers which op."""
    from reflow.loading import KERNELS
    from reflow.ops.registry import REGISTRY

    homes = {name: REGISTRY.homes[name] for name in REGISTRY}
    return "".join(f"{name} {module}\n" for name, module in sorted(homes.items()) if module.startswith(KERNELS))


def files() -> dict[Path, str]:
    """Every generated file and what it holds."""
    spaces = namespaces()
    check_rooms(spaces)
    texts = {
        PUBLIC.joinpath(*filter(None, space.split(".")), "__init__.py"): module_text(space, spaces) for space in spaces
    }
    from reflow.loading import INDEX

    return texts | stubs(spaces) | {Path(INDEX): op_index(), PUBLIC / "deferred.txt": deferred_homes(spaces)}


def differences(wanted: dict[Path, str]) -> list[Path]:
    """The files that are missing, that differ, or that should not be there."""
    changed = [file for file, text in wanted.items() if not file.exists() or file.read_text() != text]
    present = {*PUBLIC.rglob("*.py"), *PACKAGE.rglob("*.pyi")}
    return sorted([*changed, *(present - set(wanted))])


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the modules of the public namespaces.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if something would change")
    check = parser.parse_args().check
    wanted = files()
    changed = differences(wanted)
    for file in changed:
        print(("would change " if check else "wrote " if file in wanted else "removed ") + str(file.relative_to(ROOT)))
        if check:
            continue
        if file in wanted:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(wanted[file])
        else:
            file.unlink()
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
