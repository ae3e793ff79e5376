"""Every case of the op table with a shape that is wrong by one: is it refused while it is traced, and in which words?

`mutations` takes away or adds an axis, or lengthens one. `tools/golden/refused_shapes.py` records what TensorFlow says.
This file imports neither TensorFlow nor Reflow.
"""

from tests.ops import numeric


def mutations(shapes):
    """Pairs of a name and the shapes with one of them changed."""
    for i, shape in enumerate(shapes):
        changed = {"more": [1, *shape]}
        if shape:
            changed |= {"fewer": shape[1:], "last": [*shape[:-1], shape[-1] + 1]}
        if len(shape) > 1:
            changed["first"] = [shape[0] + 1, *shape[1:]]
        for name, other in changed.items():
            yield f"{name}{i}", [other if i == n else s for n, s in enumerate(shapes)]


def refusals(tf, case) -> dict:
    """What is refused, by mutation: class and words."""
    found = {}
    for name, shapes in mutations([list(a.shape) for a in case.arrays()]):
        specs = [tf.TensorSpec(s, d) for s, d in zip(shapes, case.dtypes(), strict=True)]
        function = tf.function(lambda *xs: numeric.outputs(tf, case, xs), autograph=False)
        try:
            function.get_concrete_function(*specs)
        except Exception as error:  # noqa: BLE001 - whatever comes is what is recorded
            found[name] = f"{type(error).__name__}: {error}".split(" for '{{node")[0]
    return found


def chosen(table) -> list:
    """Cases that take tensors: one dtype of each line. Variables, datasets and summaries have other things to object
    to; TensorFlow runs other ops in place of cuDNN's."""
    seen: dict = {}
    for case in table.values():
        if (
            case.inputs
            and not case.op.startswith(OTHERS)
            and not case.op.endswith(("Dataset", "DatasetV4", "VariableOp"))
        ):
            seen.setdefault((case.op, case.label), case)
    return list(seen.values())


OTHERS = ("Resource", "VarIs", "Variable", "Destroy", "WriteSummary", "Assert", "Cudnn")
