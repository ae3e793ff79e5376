"""`reflow/distribute/tpu/optimizers.py`: slots, equality, and refused numbers."""

import pytest

import reflow as tf

embedding = tf.tpu.experimental.embedding


def test_slots_and_equality():
    assert embedding.Adagrad(0.1)._slot_names() == ["accumulators"] and embedding.SGD()._slot_names() == []
    assert embedding.Adam(0.1) == embedding.Adam(0.1) != embedding.Adam(0.2)
    assert (
        (embedding.SGD(clipvalue=2.0).clip_gradient_min, embedding.SGD(clipvalue=(None, 3.0)).clip_gradient_max)
        == (-2.0, 3.0)
    )
    assert embedding.FTRL(0.1)._slot_initializers()[0]([1]).numpy().tolist() == pytest.approx([0.1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: embedding.Adagrad(initial_accumulator_value=0.0), "must be a positive float"),
        (lambda: embedding.AdagradMomentum(epsilon=0.0), "epsilon must be positive"),
        (lambda: embedding.Adam(beta_1=1.0), "`beta_1` must be >= 0 and < 1"),
        (
            lambda: embedding.Adam(lazy_adam=False, use_gradient_accumulation=False),
            "gradient accumulation must be used",
        ),
        (lambda: embedding.SGD(use_gradient_accumulation=False, clipvalue=1.0), "gradient clipping cannot be used"),
        (lambda: embedding.Adagrad(slot_variable_creation_fn=3), "either None or a callable"),
        (lambda: embedding.CustomOptimizer(len, slot_names=["a"]), "number of slot_names"),
        (
            lambda: embedding.CustomOptimizer(len, slot_names=["a"], slot_initializers=[0], slot_dims=[3]),
            "Only 1D and 2D",
        ),
    ],
)
def test_refused_numbers(make, message):
    with pytest.raises(ValueError, match=message):
        make()
