"""Turns an einsum equation into one batched matrix product: plain Python on strings and ints.

`einsum_labels` replaces the ellipsis with unused labels. A *plan* says how a product of two operands becomes one
batched matrix multiplication.
"""

from __future__ import annotations

import functools
from typing import NamedTuple


class EinsumPlan(NamedTuple):
    """Two operands, after summing labels that occur nowhere else, as a batched matrix product.

    `perms` bring the left one to (batch, free, contracted) and the right one to (batch, contracted, free).
    The product is (batch, left free, right free), and `output_perm` brings it to the order of the output.
    """

    alone: tuple
    labels: tuple
    perms: tuple
    batch: str
    contracted: str
    output_perm: tuple


@functools.lru_cache(maxsize=1024)
def einsum_labels(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """(input labels, output labels).

    Characters from U+0100 on, which no equation uses, represent the axes of an ellipsis.
    """
    equation = equation.replace(" ", "")
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise ValueError(f"Expected {len(inputs)} inputs but got: {len(ranks)}")
    width = max([rank - len(s.replace("...", "")) if "..." in s else 0 for s, rank in zip(inputs, ranks, strict=True)])
    spare = [chr(0x100 + i) for i in range(width)]
    expanded = []
    for i, (labels, rank) in enumerate(zip(inputs, ranks, strict=True)):
        if "..." in labels:
            own = rank - (len(labels) - 3)
            if own < 0:
                raise ValueError(f"Expected input {i} to have rank at least {len(labels) - 3} but got: {rank}")
            labels = labels.replace("...", "".join(spare[width - own :]))
        if len(labels) != rank:
            raise ValueError(f"Expected input {i} to have rank {len(labels)} but got: {rank}")
        expanded.append(labels)
    everything = "".join(expanded)
    if not arrow:
        output = "".join(spare) + "".join(sorted(c for c in set(everything) - set(spare) if everything.count(c) == 1))
    return tuple(expanded), output.replace("...", "".join(spare))


@functools.lru_cache(maxsize=1024)
def einsum_plan(equation: str, ranks: tuple[int, ...]) -> EinsumPlan | None:
    """A plan for two operands; None when there are not two, or a label repeats within one of them."""
    inputs, output = einsum_labels(equation, ranks)
    if len(inputs) != 2 or any(len(set(labels)) != len(labels) for labels in (*inputs, output)):
        return None
    x, y = inputs
    batch = "".join(c for c in x if c in y and c in output)
    contracted = "".join(c for c in x if c in y and c not in output)
    free = ["".join(c for c in own if c in output and c not in batch) for own in inputs]
    kept = [batch + contracted + own for own in free]
    alone = [tuple(i for i, c in enumerate(own) if c not in k) for own, k in zip(inputs, kept, strict=True)]
    labels = ["".join(c for c in own if c in k) for own, k in zip(inputs, kept, strict=True)]
    wanted = (batch + free[0] + contracted, batch + contracted + free[1])
    perms = [tuple(own.index(c) for c in want) for own, want in zip(labels, wanted, strict=True)]
    natural = batch + free[0] + free[1]
    output_perm = tuple(natural.index(c) for c in output)
    return EinsumPlan(tuple(alone), tuple(labels), tuple(perms), batch, contracted, output_perm)


def is_identity(perm: tuple[int, ...]) -> bool:
    return perm == tuple(range(len(perm)))
