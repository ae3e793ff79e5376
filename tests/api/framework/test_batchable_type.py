import typing

import reflow as tf


class Point(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    label: str = "p"


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    children: typing.Tuple["Node", ...] = ()  # noqa: UP006 - a name that is defined by this statement


class Early(tf.experimental.ExtensionType):
    later: "Late"


class Late(tf.experimental.ExtensionType):
    value: tf.Tensor


def test_datasets_batch_and_unbatch_values():
    points = tf.data.Dataset.from_tensor_slices(Point([1, 2, 3])).batch(2)
    assert [p.x.numpy().tolist() for p in points] == [[1, 2], [3]]
    assert [p.x.numpy().item() for p in points.unbatch()] == [1, 2, 3]
    assert points.element_spec == Point.Spec(tf.TensorSpec([None], tf.int32), "p")


def test_map_fn_takes_and_gives_values():
    spec = Point.Spec(tf.TensorSpec([], tf.int32), "q")
    result = tf.map_fn(lambda p: Point(p.x * 2, "q"), Point([1, 2]), fn_output_signature=spec)
    assert result.x.numpy().tolist() == [2, 4] and result.label == "q"


def test_a_batch_encoder_says_what_the_spec_of_a_batch_is():
    class Wide(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            return type(spec)(tf.TensorSpec([batch_size, 7]))

    class Own(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        __batch_encoder__ = Wide()

    assert Own.Spec(tf.TensorSpec([]))._batch(2).x.shape == [2, 7]
    assert Own.__batch_encoder__.encode(Own.Spec(tf.TensorSpec([])), Own(3.0))[0].numpy() == 3.0


def test_annotations_may_name_the_class_itself_and_later_ones():
    node = Node(1, [Node(2)])
    assert tf.function(lambda n: n.value + n.children[0].value)(node).numpy() == 3
    assert Early(Late(5)).later.value.numpy() == 5


class RowsEncoder(tf.experimental.ExtensionTypeBatchEncoder):
    """Encodes rows by their values alone: a batch of them is ragged."""

    def batch(self, spec, batch_size):
        return Rows.Spec(tf.TensorSpec([batch_size], tf.int32), tf.RaggedTensorSpec([batch_size, None], tf.int32))

    def unbatch(self, spec):
        return Rows.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32))

    def encode(self, spec, value, minimum_rank=0):
        return value.values

    def decode(self, spec, encoded_value):
        if isinstance(encoded_value, tf.RaggedTensor):
            return Rows(tf.cast(encoded_value.row_lengths(), tf.int32), encoded_value)
        return Rows(tf.size(encoded_value), encoded_value)

    def encoding_specs(self, spec):
        one = isinstance(spec.values, tf.TensorSpec)
        return tf.RaggedTensorSpec([None], tf.int32, ragged_rank=0) if one else spec.values


class Rows(tf.experimental.BatchableExtensionType):
    __batch_encoder__ = RowsEncoder()
    count: tf.Tensor
    values: tf.Tensor | tf.RaggedTensor


def test_datasets_batch_values_as_their_encoder_says():
    rows = tf.data.Dataset.range(1, 4).map(lambda i: Rows(tf.cast(i, tf.int32), tf.range(tf.cast(i, tf.int32))))
    batches = [(b.count.numpy().tolist(), b.values.to_list()) for b in rows.batch(2)]
    assert batches == [([1, 2], [[0], [0, 1]]), ([3], [[0, 1, 2]])]
    again = [(r.count.numpy(), r.values.numpy().tolist()) for r in rows.batch(2).unbatch()]
    assert again == [(1, [0]), (2, [0, 1]), (3, [0, 1, 2])]


def test_slices_and_maps_go_through_the_encoder():
    rows = Rows([1, 2], tf.ragged.constant([[1], [2, 3]]))
    assert [r.values.numpy().tolist() for r in tf.data.Dataset.from_tensor_slices(rows)] == [[1], [2, 3]]
    sums = tf.map_fn(lambda r: tf.reduce_sum(r.values), rows, fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [1, 5]
    one = Rows.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32))
    doubled = tf.map_fn(lambda r: Rows(r.count, r.values * 2), rows, fn_output_signature=one)
    assert doubled.values.to_list() == [[2], [4, 6]] and doubled.count.numpy().tolist() == [1, 2]


def test_fields_that_are_ragged_are_mapped_row_by_row():
    class Named(tf.experimental.BatchableExtensionType):
        rows: tf.RaggedTensor
        scale: tf.Tensor

    value = Named(tf.ragged.constant([[[1], [2, 3]], [[4]]]), [10, 100])
    found = tf.map_fn(lambda v: tf.reduce_sum(v.rows) * v.scale, value, fn_output_signature=tf.int32)
    assert found.numpy().tolist() == [60, 400]


def test_encoders_of_fields():
    class Outer(tf.experimental.BatchableExtensionType):
        inner: Rows
        scale: tf.Tensor

    outer = tf.data.Dataset.from_tensor_slices(Outer(Rows([1, 2], tf.ragged.constant([[1], [2, 3]])), [5, 6]))
    assert [(o.inner.values.numpy().tolist(), o.scale.numpy()) for o in outer] == [([1], 5), ([2, 3], 6)]
    assert [o.inner.values.to_list() for o in outer.batch(2)] == [[[1], [2, 3]]]
