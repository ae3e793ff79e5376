"""Values of replicas, together and apart."""

import pytest

import reflow as tf
from reflow.distribute.values import Mirrored, PerReplica
from reflow.drop_in.python.distribute import distribute_utils as utils


def test_values_of_replicas():
    both = utils.regroup(values=(1, 2))
    assert isinstance(both, PerReplica) and utils.select_replica(replica_id=1, structured=[both, 3]) == [2, 3]
    assert utils.select_replica_mirrored(0, structured=Mirrored((1, 1))) == 1
    for check in (utils.assert_mirrored, lambda value: utils.select_replica_mirrored(1, value)):
        with pytest.raises(TypeError, match="Expected value to be mirrored across replicas"):
            check(both)


def test_variables_of_a_strategy():
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable(1.0)
    assert utils.is_mirrored(val=variable) and not utils.is_sync_on_read(val=variable)
    assert utils.value_container(variable) is variable and utils.value_container(variable.values[0]) is variable
    utils.assert_mirrored(variable)
    utils.validate_colocate(variable, strategy.extended)
    utils.validate_colocate_distributed_variable(variable, strategy.extended)
    for check in (utils.validate_colocate, utils.validate_colocate_distributed_variable):
        with pytest.raises(ValueError, match="`colocate_vars_with` must only be passed a variable created in this"):
            check(tf.Variable(1.0), strategy.extended)
    assert utils.update_regroup(strategy.extended, (1,), True) == 1
    assert utils.update_regroup(strategy.extended, (1,), False) == (1,)
