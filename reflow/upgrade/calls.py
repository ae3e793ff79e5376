"""Calls that need more than new names: each rule changes one call, and says what it did."""

from __future__ import annotations

import ast
from collections.abc import Callable

from reflow.upgrade.edits import Arguments

#: (severity, what to say), one for each change
Said = list[tuple[str, str]]
Rule = Callable[[Arguments, str], Said]

INFO, WARNING, ERROR = "INFO", "WARNING", "ERROR"


def _is(value: ast.expr, constant: object) -> bool:
    return isinstance(value, ast.Constant) and value.value is constant


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.JoinedStr) or isinstance(value, ast.Constant) and isinstance(value.value, (str, bytes))


def _cast(arguments: Arguments, name: str) -> Said:
    """`tf.to_float(x)` is `tf.cast(x, dtype=tf.float32)`."""
    kind = name.removeprefix("tf.to_")
    kind = {"float": "float32", "double": "float64"}.get(kind, kind)
    if len(arguments.call.args) == 2:
        arguments.give_name(arguments.call.args[1], "name")
    arguments.append(f"dtype=tf.{kind}")
    arguments.rename_function("tf.cast")
    return [(INFO, f"Changed {name} call to tf.cast(..., dtype=tf.{kind}).")]


def _dropout(arguments: Arguments, name: str) -> Said:
    """What was kept is now what is dropped."""
    source, kept = arguments.source, arguments.keyword("keep_prob")
    if kept is not None:
        arguments.rename(kept, "rate")
        source.wrap(kept.value, "1 - (", ")")
    elif len(arguments.call.args) < 2:
        return [(ERROR, f"{name} without keep_prob cannot be changed: its second argument has another meaning now.")]
    else:
        source.wrap(arguments.call.args[1], "rate=1 - (", ")")
    return [(INFO, f"Changed keep_prob of {name} to rate.")]


def _resize(arguments: Arguments, name: str) -> Said:
    """`tf.image.resize_bilinear(…)` is `tf.image.resize(…, method=…)`, which has no `align_corners`."""
    method = name.rpartition("resize_")[2].upper()
    args = arguments.call.args
    if len(args) == 4:
        arguments.give_name(args[3], "preserve_aspect_ratio")
    if len(args) >= 3:
        arguments.remove(args[2])
    aligned = arguments.keyword("align_corners")
    if aligned is not None:
        arguments.remove(aligned)
    arguments.append(f"method=tf.image.ResizeMethod.{method}")
    arguments.rename_function("tf.image.resize")
    return [(INFO, f"Changed {name} call to tf.image.resize(..., method=tf.image.ResizeMethod.{method}).")]


def _iterator(arguments: Arguments, name: str) -> Said:
    """`dataset.make_one_shot_iterator()` is `tf.compat.v1.data.make_one_shot_iterator(dataset)`."""
    function = arguments.call.func
    if name.startswith(("tf.compat.v1.data", "tf.data")) or not isinstance(function, ast.Attribute):
        return []
    source, method = arguments.source, function.attr
    source.replace(source.start(function.value), source.start(function.value), f"tf.compat.v1.data.{method}(")
    source.replace(source.end(function.value), arguments.opening, ", " if arguments.items else "")
    return [(WARNING, f"Changed dataset.{method}() to tf.compat.v1.data.{method}(dataset). Please check this.")]


def _softmax(arguments: Arguments, name: str) -> Said:
    """Version 2 sends gradients to the labels, too."""
    labels = arguments.keyword("labels")
    if labels is None or arguments.source.text(labels.value).startswith("tf.stop_gradient("):
        return []
    arguments.source.wrap(labels.value, "tf.stop_gradient(", ")")
    return [(INFO, f"Stopped the gradients of the labels of {name}, which version 1 does not compute.")]


def _name_scope(arguments: Arguments, name: str) -> Said:
    """A scope that is named may be one that is entered again; a default name alone is a name."""
    given, default = arguments.value("name", 0), arguments.value("default_name", 1)
    if given is not None and not _is(given, None):
        arguments.rename_function("tf.compat.v1.name_scope")
        return [(
            INFO, f"Renamed {name!r} to 'tf.compat.v1.name_scope': it may enter a scope again, which version 2 cannot."
        )]
    if default is not None:
        arguments.replace_all(f"name={arguments.source.text(default)}")
        return [(INFO, "Used default_name as name in a call of name_scope.")]
    return [(ERROR, "A name_scope with neither name nor default_name cannot be changed.")]


def _old_if(argument: str, good: Callable[[ast.expr], bool], remove: bool) -> Rule:
    """A rule for an argument that version 2 has not.

    Removed if its value is what version 2 does, otherwise the old function is called.
    """

    def rule(arguments: Arguments, name: str) -> Said:
        found = arguments.keyword(argument)
        if found is None:
            return []
        if not good(found.value):
            new = name.replace("tf.", "tf.compat.v1.", 1)
            arguments.rename_function(new)
            return [(INFO, f"Renamed {name!r} to {new!r} because of the argument {argument}.")]
        if not remove:
            return []
        arguments.remove(found)
        return [(INFO, f"Removed argument {argument} for function {name}")]

    return rule


def _with(text: str, unless: str) -> Rule:
    """A rule that adds an argument."""

    def rule(arguments: Arguments, name: str) -> Said:
        if arguments.keyword(unless) is not None:
            return []
        arguments.append(text)
        return [(INFO, f"Added argument {text} to a call of {name}.")]

    return rule


def _recording(condition: str) -> Rule:
    def rule(arguments: Arguments, name: str) -> Said:
        arguments.append(condition)
        return [(INFO, f"Added the argument {condition} to a call of {name}.")]

    return rule


def _split(arguments: Arguments, name: str) -> Said:
    """`tf.strings.split` gives a ragged tensor now."""
    kind = arguments.keyword("result_type")
    if (
        kind is not None
        and not (isinstance(kind.value, ast.Constant) and kind.value.value in ("RaggedTensor", "SparseTensor"))
    ):
        new = name.replace("tf.", "tf.compat.v1.", 1)
        arguments.rename_function(new)
        return [(INFO, f"Renamed {name!r} to {new!r} because of the argument result_type.")]
    ragged = kind is not None and isinstance(kind.value, ast.Constant) and kind.value.value == "RaggedTensor"
    if kind is not None:
        arguments.remove(kind)
    old = arguments.keyword("source")
    if old is not None:
        arguments.rename(old, "input")
    end = arguments.source.end(arguments.call)
    if ragged or arguments.source.data[end : end + 10] == b".to_sparse":
        return []
    arguments.source.replace(end, end, ".to_sparse()")
    return [(INFO, f"Added to_sparse() to {name}, which gives a ragged tensor now.")]


def _regularizer(kind: str) -> Rule:
    def rule(arguments: Arguments, name: str) -> Said:
        scale, scope = arguments.keyword("scale"), arguments.keyword("scope")
        if scale is not None:
            arguments.rename(scale, "l")
        value = scale.value if scale is not None else arguments.call.args[0] if arguments.call.args else None
        if kind == "l2" and value is not None:
            arguments.source.wrap(value, "0.5 * (", ")")
        for extra in [*arguments.call.args[1:], *([scope] if scope is not None else [])]:
            arguments.remove(extra)
        arguments.rename_function(f"tf.keras.regularizers.{kind}")
        return [(INFO, f"Changed {name} to tf.keras.regularizers.{kind}.")]

    return rule


_SCALING = "tf.compat.v1.keras.initializers.VarianceScaling"


def _xavier(arguments: Arguments, name: str) -> Said:
    source, args = arguments.source, arguments.call.args
    texts = ["scale=1.0", 'mode="fan_avg"']
    uniform = arguments.keyword("uniform")
    if args:
        texts.append(f'distribution=("uniform" if {source.text(args[0])} else "truncated_normal")')
    elif uniform is None:
        texts.append('distribution="uniform"')
    texts += [f"{key}={source.text(value)}" for key, value in zip(("seed", "dtype"), args[1:], strict=False)]
    for item in arguments.call.keywords:
        if item is uniform:
            texts.append(f'distribution=("uniform" if {source.text(item.value)} else "truncated_normal")')
        else:
            texts.append(source.text(item))
    arguments.replace_all(", ".join(texts))
    arguments.rename_function(_SCALING)
    return [(INFO, f"Changed {name} to {_SCALING}.")]


def _variance_scaling(arguments: Arguments, name: str) -> Said:
    """The modes are in lower case now, the factor is the scale, and the distribution has a name."""

    def changed(parameter: str | None, value: ast.expr) -> tuple[str, ...]:
        text = arguments.source.text(value)
        return {
            None: (f"**{text}",),
            "factor": ("scale", text),
            "mode": ("mode", f"({text}).lower()"),
            "uniform": ("distribution", f'("uniform" if {text} else "truncated_normal")'),
        }.get(parameter, (str(parameter), text))

    args, keywords = arguments.call.args, arguments.call.keywords
    known = bool(args) or arguments.keyword("factor") is not None
    texts = [] if known else ["scale=2.0"]
    texts += [changed(*pair)[1] for pair in zip(("factor", "mode", "uniform", "seed", "dtype"), args, strict=False)]
    texts += ["=".join(changed(item.arg, item.value)) for item in keywords]
    arguments.replace_all(", ".join(texts))
    arguments.rename_function(_SCALING)
    return [(INFO, f"Changed {name} to {_SCALING}.")]


def _glimpse(arguments: Arguments, name: str) -> Said:
    """Whether the noise is uniform is the name of the noise now."""
    named, args = arguments.keyword("uniform_noise"), arguments.call.args
    if named is not None:
        arguments.rename(named, "noise")
    value = named.value if named is not None else args[5] if len(args) > 5 else None
    if value is None:
        return []
    arguments.source.wrap(value, "'uniform' if (", ") else 'gaussian'")
    return [(INFO, f"Changed uniform_noise of {name} to noise.")]


def _unit_scaling(arguments: Arguments, name: str) -> Said:
    factor = arguments.keyword("factor")
    if factor is not None:
        arguments.rename(factor, "scale")
    arguments.append('distribution="uniform"')
    arguments.rename_function(_SCALING)
    return [(INFO, f"Changed {name} to {_SCALING}.")]


def _table() -> dict[str, Rule]:
    def true(value: ast.expr) -> bool:
        return _is(value, True)

    rules: dict[str, Rule] = {
        f"tf.to_{kind}": _cast for kind in ("bfloat16", "complex128", "complex64", "double", "float", "int32", "int64")
    }
    rules |= {f"tf.image.resize_{how}": _resize for how in ("area", "bicubic", "bilinear", "nearest_neighbor")}
    rules |= {f"*.{method}": _iterator for method in ("make_initializable_iterator", "make_one_shot_iterator")}
    rules |= {f"tf.{name}": _old_if("optimize", true, True) for name in ("zeros_like", "ones_like")}
    rules |= {f"tf.nn.{name}": _with("data_format='NHWC'", "") for name in ("dilation2d", "erosion2d")}
    step = _with("step=tf.compat.v1.train.get_or_create_global_step()", "step")
    for space in ("tf.contrib.summary", "contrib_summary"):
        rules |= {f"{space}.{name}": step for name in ("audio", "generic", "histogram", "image", "scalar")}
        rules |= {
            f"{space}.{which}_record_summaries": _recording(str(which == "always")) for which in ("always", "never")
        }
    for space in ("tf.contrib.layers", "contrib_layers", "slim"):
        rules |= {f"{space}.{kind}_regularizer": _regularizer(kind) for kind in ("l1", "l2")}
        rules |= {f"{space}.xavier_initializer{end}": _xavier for end in ("", "_conv2d")}
        rules[f"{space}.variance_scaling_initializer"] = _variance_scaling
    return rules | {
        "tf.nn.dropout": _dropout,
        "tf.nn.softmax_cross_entropy_with_logits": _softmax,
        "tf.name_scope": _name_scope,
        "tf.image.extract_glimpse": _glimpse,
        "tf.strings.split": _split,
        "tf.device": _old_if("device_name", _is_text, False),
        "tf.while_loop": _old_if("return_same_structure", true, True),
        "tf.nn.ctc_beam_search_decoder": _old_if("merge_repeated", lambda v: _is(v, False), True),
        "tf.keras.models.save_model": _with("save_format='h5'", ""),
        "tf.initializers.uniform_unit_scaling": _unit_scaling,
        "tf.uniform_unit_scaling_initializer": _unit_scaling,
    }


#: the full name of a function, or `*.method` -> its rule
RULES = _table()
