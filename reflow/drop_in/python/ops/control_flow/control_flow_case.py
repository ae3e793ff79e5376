"""`tensorflow.python.ops.control_flow_case`: `tf.case` with another `cond`."""

from reflow.core import nest


def _case_helper(
    cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False, strict=False, **cond_kwargs
):
    """The function of the first true predicate, else `default`, chosen by `cond_fn(predicate, true_fn, false_fn)`.

    Raises:
        ValueError: `exclusive`, and more than one predicate is known to be true; or there is neither a pair nor a
          default.
    """
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if exclusive and allow_python_preds and sum(p is True for p, _ in pairs) > 1:
        raise ValueError(f"More than one predicate of an exclusive case is True: {[p for p, _ in pairs]}.")
    if default is None:
        if not pairs:
            raise ValueError("case: there is neither a predicate nor a default.")
        *pairs, (_, default) = pairs
    chosen = default
    for predicate, function in reversed(pairs):
        chosen = _either(cond_fn, predicate, function, chosen, cond_kwargs)
    result = chosen()
    alone = isinstance(result, list) and len(result) == 1 and not strict
    return nest.flatten(result)[0] if alone else result


def _either(cond_fn, predicate, function, otherwise, options):
    return lambda: cond_fn(predicate, function, otherwise, **options)
