"""`reflow/distribute/tpu/embedding_config.py`: texts of configurations, and what they refuse."""

import pytest

import reflow as tf

embedding = tf.tpu.experimental.embedding


def test_texts():
    table = embedding.TableConfig(8, 4, name="t")
    shown = (
        "TableConfig(vocabulary_size=8, dim=4, initializer=None, optimizer=None, combiner='mean', name='t', "
        "quantization_config=None)"
    )
    assert repr(table) == shown
    assert repr(embedding.FeatureConfig(table, output_shape=[2])) == (
        f"FeatureConfig(table={shown}, max_sequence_length=0, validate_weights_and_indices=True, "
        "output_shape=TensorShape([2]), name=None)"
    )
    assert table.initializer([3, 4]).shape == [3, 4]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: embedding.TableConfig(0, 4), "`vocabulary_size` must be an int and must be >= 1"),
        (lambda: embedding.TableConfig(4, 0), r"`dim` \(embedding dimension\) must be an int"),
        (lambda: embedding.TableConfig(4, 4, initializer=3), "must be a callable"),
        (lambda: embedding.TableConfig(4, 4, combiner="max"), "String argument `combiner` must be in"),
        (lambda: embedding.TableConfig(4, 4, combiner=3), "either be a str or a CustomCombiner"),
        (lambda: embedding.TableConfig(4, 4, dtype=tf.float64), "either float32 or int32"),
        (lambda: embedding.FeatureConfig(3), "has invalid type"),
        (lambda: embedding.FeatureConfig(embedding.TableConfig(4, 4), max_sequence_length=-1), "must be >= 0"),
        (
            lambda: embedding.FeatureConfig(embedding.TableConfig(4, 4), validate_weights_and_indices=1),
            "must be a boolean",
        ),
        (lambda: embedding.QuantizationConfig(1, 0.0, 1.0), "must be at least 2"),
        (lambda: embedding.CustomCombiner(len, 2, num_weights=1), "`initializer` must be set"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
