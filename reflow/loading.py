"""What is imported for what it registers: records of ops, layers that install themselves below, methods of tensors.

The order matters: a public function looks up the record of its op when it is defined.
"""

# ruff: noqa: F401 - nothing here is used by name


def kernels() -> None:
    """The records of ops that belong to no other folder, by family."""
    from reflow.ops.kernels.array import blocks, gather, shaping, slicing
    from reflow.ops.kernels.control import flow, lists, printing, state, vjp, xla
    from reflow.ops.kernels.image import (
        boxes,
        colors,
        crops,
        decode,
        distorted,
        encode,
        glimpses,
        patches,
        resize,
        transform,
    )
    from reflow.ops.kernels.linalg import banded, dense
    from reflow.ops.kernels.math import elementwise, reduce, statistics
    from reflow.ops.kernels.nn import activations, attention, candidates, conv, ctc, morphology, quantization
    from reflow.ops.kernels.random import sampling
    from reflow.ops.kernels.signal import audio
    from reflow.ops.kernels.sparse import crosses, sets, tensors
    from reflow.ops.kernels.strings import elementwise as strings
    from reflow.ops.kernels.strings import format, hashing, regex, unicode


def layers() -> None:
    """The layers to which dispatch hands an op: eager execution, graphs, the interpreter, the compiler, gradients of calls."""
    import reflow.backends
    from reflow.function import branch_gradients, loop_gradients


def kernels_of_rooms() -> None:
    """The records of ops that are written beside what they belong to."""
    from reflow.data.kernels import dataset, optional
    from reflow.io import kernels as io_kernels
    from reflow.lookup import kernels as lookup_kernels
    from reflow.summary.kernels import version1, writers


def general_functions() -> None:
    """Public functions on tensors of any kind, and the methods and operators of tensors."""
    from reflow.api import (
        audio,
        config,
        experimental_numpy,
        gradients,
        initializers,
        operators,
        quantization,
        raw_ops,
        sets,
        test_case,
    )
    from reflow.api.array import arrange, blocks, creation, indexing, sorting
    from reflow.api.autograph import public
    from reflow.api.control import (
        branches,
        critical_section,
        functional,
        printing,
        py_functions,
        tensor_array,
        vectorized,
    )
    from reflow.api.debugging import asserts, check_numerics, shapes
    from reflow.api.framework import (
        core_names,
        decorators,
        dlpack,
        explain,
        extension_type,
        graph_names,
        internal,
        small_namespaces,
        tracking,
        v1_logging,
        version,
    )


def functions_of_fields() -> None:
    """Public functions for images, matrices, networks, text and so on."""
    from reflow.api.image import boxes, files, geometry, quality, sizes, stateless
    from reflow.api.linalg import banded, diag, lu, norms, products, solve
    from reflow.api.math import arithmetic, clip, reduce, segment, special, statistics
    from reflow.api.nn import (
        activations,
        backprop,
        candidates,
        conv,
        conv_transpose,
        ctc,
        dropout,
        embeddings,
        losses,
        morphology,
        pool,
    )
    from reflow.api.nn import statistics as nn_statistics
    from reflow.api.ragged import build, elementwise, factories, index, parts, row_partition
    from reflow.api.random import sampling
    from reflow.api.signal import frames
    from reflow.api.sparse import crosses, tensors
    from reflow.api.strings import elementwise as strings
    from reflow.api.strings import rows, unicode


def rooms() -> None:
    """What the other folders export."""
    from reflow.compat import (
        aliases,
        behavior,
        convolutions,
        ctc,
        freeze,
        functions,
        graph_variables,
        optimizers,
        protos,
        reordered,
        session,
        summary,
        training,
        variable_scopes,
        wrapped,
    )
    from reflow.data import dataset, experimental_names, iterators, optional, options
    from reflow.distribute import clusters, input, mirrored, reduction, strategy
    from reflow.io import datasets, examples, file_system, files, parsing, tf_record
    from reflow.lookup import public
    from reflow.saved_model import asset, constants, loading, saving
    from reflow.saved_model import options as saved_model_options
    from reflow.summary import kinds, profiler, trace, writer
    from reflow.train import (
        checkpoint,
        checkpoint_reader,
        checkpoint_state,
        coordinator,
        manager,
        moving_average,
        python_state,
    )


kernels()
layers()
kernels_of_rooms()
general_functions()
functions_of_fields()
rooms()
