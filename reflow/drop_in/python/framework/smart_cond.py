"""`tensorflow.python.framework.smart_cond`: branches that are chosen at once where their predicates are known."""

from reflow.api.array.arrange import get_static_value
from reflow.api.control.branches import case


def smart_case(pred_fn_pairs, default=None, exclusive=False, name="smart_case"):
    """The result of the first function whose predicate is true.

    A known true one is called at once, known false ones are left out.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    known = [(get_static_value(predicate), predicate, function) for predicate, function in pairs]
    for value, _, function in known:
        if value is not None and value:
            return function()
    left = [(predicate, function) for value, predicate, function in known if value is None]
    if not left:
        if default is None:
            raise ValueError("None of the predicates is true, and there is no default.")
        return default()
    return case(left, default, exclusive, name=name)
