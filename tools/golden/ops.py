"""Record what TensorFlow 2.21 gives for every case of the descriptor table: `tests/golden/ops.json` and `ops.npz`.

    make golden ONLY=ops
    make golden ONLY=ops NEW=1            # keep what is recorded already: for new cases, and after a merge
    PYTHON -m tools.golden.ops Conv2D     # only print those whose id begins so

Per case: outputs; gradients (dense; `sparse` lists which were IndexedSlices) or the class of the error that
differentiating raised; for the expression traced with every dimension unknown (`dims`) and with unknown rank
(`unranked`): the inferred shapes of the outputs, or nothing where TensorFlow itself refuses to trace or run it so.
"""

import os
import sys

import tensorflow as tf

from tests.ops import numeric
from tests.ops.golden import Reader, Writer
from tests.ops.table import TABLE


def record(case, writer) -> dict:
    """What TensorFlow says about one case."""
    inputs = numeric.tensors(tf, case)
    out: dict = {}
    if "eager" in case.modes:
        results = numeric.outputs(tf, case, inputs)
    else:
        results = tf.function(lambda *xs: numeric.outputs(tf, case, xs))(*inputs)
    out["outputs"] = [writer.array(t.dtype.name, t.numpy()) for t in results]
    if case.grad and numeric.sources(case):
        try:
            grads = numeric.gradients(tf, case, inputs)
        except (LookupError, NotImplementedError, tf.errors.OpError) as error:
            out["gradient_error"] = type(error).__name__
        else:
            out["grads"] = [
                None if g is None else writer.array(g.dtype.name, tf.convert_to_tensor(g).numpy()) for g in grads
            ]
            sparse = [i for i, g in enumerate(grads) if numeric.is_sparse(g)]
            if sparse:
                out["sparse"] = sparse
    if "traced" in case.modes and inputs:
        out["dims"] = traced(case, inputs, results, lambda t: [None] * len(t.shape))
        out["unranked"] = traced(case, inputs, results, lambda t: None)
    return out


def traced(case, inputs, expected, shape_of):
    """The inferred output shapes of the expression traced on partly unknown shapes."""
    signature = [tf.TensorSpec(shape_of(t), t.dtype) for t in inputs]
    function = tf.function(lambda *xs: numeric.outputs(tf, case, xs), input_signature=signature)
    try:
        concrete = function.get_concrete_function()
        results = function(*inputs)
    except (ValueError, TypeError, AttributeError, tf.errors.OpError, AssertionError):
        return None
    if any(a.shape != b.shape for a, b in zip(results, expected)):
        return None
    return [None if t.shape.rank is None else t.shape.as_list() for t in concrete.structured_outputs]


def kept(case, reader: Reader, writer: Writer) -> dict:
    """The record of a case as it stands in the file."""
    old = dict(reader.records[case.id])
    for part in ("outputs", "grads"):
        if part in old:
            old[part] = [None if place is None else writer.array(*reader.array(place)) for place in old[part]]
    return old


def main():
    writer, wanted = Writer(), sys.argv[1:]
    reader = Reader("ops") if os.environ.get("NEW") else None
    failed = 0
    for case in TABLE.values():
        if wanted and not case.id.startswith(tuple(wanted)):
            continue
        try:
            known = reader is not None and case.id in reader.records
            writer.records[case.id] = kept(case, reader, writer) if known else record(case, writer)
        except Exception as error:  # all mistakes of the table are listed, then nothing is written
            failed += 1
            print(f"{case.id}: {type(error).__name__}: {str(error)[:200]}")
            continue
        if wanted:
            print(case.id, writer.records[case.id])
    if wanted or failed:
        print(f"{failed} cases failed; nothing written.")
        return
    writer.save("ops")
    print(f"{len(writer.records)} cases.")


if __name__ == "__main__":
    main()
