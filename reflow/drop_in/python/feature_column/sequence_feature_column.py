"""`tensorflow.python.feature_column.sequence_feature_column`: what has no public name."""

from reflow.feature_column.sequence import SequenceNumericColumn as SequenceNumericColumn
from reflow.feature_column.sequence import concatenate_context_input as concatenate_context_input
