"""Formats tensors as text in a template: shared by `tf.strings.format` and `tf.print`."""

from __future__ import annotations

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor


def format_tensors(template, placeholder, tensors, summarize, name=None):
    """`template` with each placeholder replaced by a tensor's or ragged tensor's text, a string tensor."""
    attrs = {"template": template, "placeholder": placeholder, "summarize": summarize}
    if any(isinstance(t, RaggedTensor) for t in tensors):
        flat = [
            p for t in tensors for p in ((t.flat_values, *t.nested_row_splits) if isinstance(t, RaggedTensor) else (t,))
        ]
        counts = [t.ragged_rank if isinstance(t, RaggedTensor) else -1 for t in tensors]
        types = {"T_output": dtypes.string, "Tin_values": [t.dtype for t in flat]}
        return call("Reflow>Format", flat, {**attrs, **types, "ragged": counts}, name)
    return call("StringFormat", tensors, {**attrs, "T": [t.dtype for t in tensors]}, name)
