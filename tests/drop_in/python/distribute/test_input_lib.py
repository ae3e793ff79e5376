"""`reflow/drop_in/python/distribute/input_lib.py`."""

import reflow as tf
from reflow.drop_in.python.distribute import input_lib


def test_the_spec_of_an_iterator():
    strategy, numbers = tf.distribute.OneDeviceStrategy("/cpu:0"), tf.data.Dataset.range(3).batch(2)
    distributed = strategy.experimental_distribute_dataset(numbers)
    for dataset in (numbers, distributed):
        assert input_lib.get_iterator_spec_from_dataset(strategy, dataset) == iter(dataset)._type_spec
    assert isinstance(distributed._type_spec, input_lib.DistributedDatasetSpec)
    assert isinstance(iter(distributed)._type_spec, input_lib.DistributedIteratorSpec)
    assert isinstance(iter(distributed), input_lib.DistributedIteratorBase)
