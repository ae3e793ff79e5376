"""`tensorflow.python.distribute.distribute_utils`: values of replicas, together and apart."""

from reflow.core import nest
from reflow.distribute import values, variables
from reflow.distribute.values import DistributedValues, Mirrored, PerReplica

_regroup = values.regroup


def regroup(values, wrap_class=PerReplica, always_wrap=False):
    """The values of all replicas as one structure.

    Those that are one object stay that object, unless it is to be wrapped always.
    """
    return _regroup(values, wrap_class, always_wrap)


def select_replica(replica_id, structured):
    """A structure with what one replica has in place of distributed values."""
    return values.select(replica_id, structured)


def select_replica_mirrored(replica_id, structured):
    """A structure with one replica's part of mirrored values. TypeError if a value may differ between replicas."""
    return values.select_mirrored(replica_id, structured)


def assert_mirrored(structured):
    """Raise a TypeError if a value of a structure may differ between replicas."""
    for value in nest.flatten(structured):
        if isinstance(value, DistributedValues) and not is_mirrored(value):
            raise TypeError(f"Expected value to be mirrored across replicas: {value} in {structured}.")


def is_mirrored(val) -> bool:
    """Whether all replicas have the same value."""
    return variables.is_mirrored(val)


def is_sync_on_read(val) -> bool:
    """Whether a variable has a value of its own in each replica, which are put together when it is read."""
    return variables.is_sync_on_read(val)


def update_regroup(extended, updates, group):
    """What an update gave on all replicas: one value if they are to be grouped, else a tuple of them."""
    if not group:
        return nest.map_structure(
            extended._container_strategy().experimental_local_results, _regroup(updates, Mirrored)
        )
    return _regroup(updates, Mirrored)


def value_container(val):
    """The distributed variable that a variable is a copy of; anything else itself."""
    found = values._container(val)
    return val if found is None else found


def _refuse_colocation(v):
    raise ValueError(
        "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: "
        f"{v!r}"
    )


def validate_colocate_distributed_variable(v, extended):
    """Raise a ValueError unless a distributed variable belongs to a strategy."""
    if not isinstance(v, variables.DistributedVariable):
        _refuse_colocation(v)
    validate_colocate(v, extended)


def validate_colocate(v, extended):
    """Raise a ValueError unless a variable belongs to a strategy."""
    if getattr(v, "_distribute_strategy", None) is not extended._container_strategy():
        _refuse_colocation(v)
