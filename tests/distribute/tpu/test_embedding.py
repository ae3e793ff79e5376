"""`reflow/distribute/tpu/embedding.py`: look-ups of every kind of input, checkpoints, and what needs a TPU."""

import pytest

import reflow as tf

embedding = tf.tpu.experimental.embedding


def table(combiner="mean", name=None):
    return embedding.TableConfig(4, 2, initializer=embedding.RowIdInitializer(), combiner=combiner, name=name)


def test_look_ups():
    sums, means, words = table("sum", "a"), table("mean", "b"), table("sum", "c")
    features = {
        "dense": embedding.FeatureConfig(sums),
        "ragged": embedding.FeatureConfig(means),
        "sparse": embedding.FeatureConfig(sums),
        "words": embedding.FeatureConfig(words, max_sequence_length=2),
        "shaped": embedding.FeatureConfig(means, output_shape=[2, 1]),
    }
    serving = embedding.TPUEmbeddingForServing(features, embedding.Adagrad(0.1))
    ragged = tf.ragged.constant([[1, 3], [2]], dtype=tf.int64)
    found = serving(
        {"dense": tf.constant([3]), "ragged": ragged, "sparse": ragged.to_sparse(), "words": ragged, "shaped": ragged}
    )
    assert (
        found["dense"].numpy().tolist() == [[3.0, 3.0]] and found["ragged"].numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
    )
    assert found["sparse"].numpy().tolist() == [[4.0, 4.0], [2.0, 2.0]] and found["shaped"].shape == [2, 1, 2]
    assert found["words"].numpy()[:, :, 0].tolist() == [[1.0, 3.0], [2.0, 0.0]]
    assert sorted(serving.variables["a"]) == ["accumulators", "parameters"]
    assert serving({"words": ragged.to_sparse()})["words"].numpy()[:, :, 0].tolist() == [[1.0, 3.0], [2.0, 0.0]]


def test_weights():
    config = embedding.FeatureConfig(table("sqrtn"))
    serving = embedding.TPUEmbeddingForServing(config, None)
    ids, weights = tf.ragged.constant([[1, 3]]), tf.ragged.constant([[3.0, 4.0]])
    assert serving(ids, weights).numpy().tolist() == [[3.0, 3.0]]
    with pytest.raises(ValueError, match="but input is dense"):
        serving(tf.constant([1]), tf.constant([1.0]))
    with pytest.raises(ValueError, match="does not match type of the input"):
        serving(ids, weights.to_sparse())


def test_trained_tables_are_restored(tmp_path):
    config = embedding.FeatureConfig(table(name="t"))
    trained = embedding.TPUEmbedding(config, embedding.SGD(0.1))
    trained.embedding_tables[config.table].assign(tf.ones([4, 2]))
    path = tf.train.Checkpoint(e=trained).save(str(tmp_path / "c"))
    serving = embedding.TPUEmbeddingForServing(config, None)
    serving.build()
    tf.train.Checkpoint(e=serving).restore(path)
    assert serving(tf.constant([2])).numpy().tolist() == [[1.0, 1.0]]
    for use in (lambda: trained.enqueue(1), trained.dequeue, lambda: trained.apply_gradients(1)):
        with pytest.raises(
            RuntimeError, match="is not valid when TPUEmbedding object is not created under a TPUStrategy"
        ):
            use()


def test_refusals():
    with pytest.raises(ValueError, match="unique name"):
        embedding.TPUEmbedding(
            [embedding.FeatureConfig(table(name="t")), embedding.FeatureConfig(table(name="t"))], None
        )
    with pytest.raises(ValueError, match="unsupported optimizer class"):
        embedding.TPUEmbedding(embedding.FeatureConfig(table()), "sgd")
    with pytest.raises(ValueError, match="not a subset of feature_config"):
        embedding.serving_embedding_lookup({"x": tf.constant([1])}, None, {}, {"y": embedding.FeatureConfig(table())})
    for kind in (embedding.TPUEmbeddingV0, embedding.TPUEmbeddingV2):
        with pytest.raises(RuntimeError, match="should be created under TPUStrategy but found"):
            kind(embedding.FeatureConfig(table()), None)
