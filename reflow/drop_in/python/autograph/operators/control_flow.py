"""`tensorflow.python.autograph.operators.control_flow`.

Statements of converted code, and the checks of what they carry.
"""

from reflow.api.autograph import statements
from reflow.api.autograph.statements import for_stmt as for_stmt
from reflow.api.autograph.statements import if_stmt as if_stmt
from reflow.api.autograph.statements import while_stmt as while_stmt


def verify_loop_init_vars(init_vars, symbol_names, first_iter_vars=None, extra_message=None):
    """Raise unless each variable has a value that a loop can carry.

    `first_iter_vars` is what one iteration makes of them.
    """
    statements.check_initial(init_vars, symbol_names, first_iter_vars, extra_message)


def verify_single_cond_var(name, body_var, orelse_var):
    """Raise unless two values may be what the branches of a conditional make of one name."""
    if body_var is None:
        raise ValueError(f"'{name}' is None at the end of the main branch.")
    statements.check_branch_values(name, body_var, orelse_var)


def verify_tf_loop_vars(init_vars, iter_entry_vars, iter_exit_vars, symbol_names, opts, check_shapes=True):
    """Raise unless one iteration keeps the structure, dtype and shape of each variable. Shapes are compared with the
    shape invariants in `opts`, which are one for each variable or None."""
    invariants = opts.get("shape_invariants")
    if invariants is None:
        invariants = (None,) * len(init_vars)
    statements.check_iteration(iter_entry_vars, iter_exit_vars, symbol_names, invariants, check_shapes)
