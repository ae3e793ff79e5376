"""A class of the user's is found again."""

from reflow.core import dtypes
from reflow.drop_in.python.feature_column import feature_column_v2, serialization


def test_a_registered_class():
    @serialization.register_feature_column
    class Own(feature_column_v2.NumericColumn):
        pass

    saved = serialization.serialize_feature_column(Own("x", (1,), None, dtypes.float32, None))
    assert type(serialization.deserialize_feature_column(saved)) is Own
