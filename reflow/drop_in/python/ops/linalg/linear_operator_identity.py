"""`tensorflow.python.ops.linalg.linear_operator_identity`: the base of operators that are only as large as they are."""

from reflow.api.linalg.operators.identity import SizedOperator as BaseLinearOperatorIdentity

__all__ = ["BaseLinearOperatorIdentity"]
