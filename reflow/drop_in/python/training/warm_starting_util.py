"""`tensorflow.python.training.warm_starting_util`: the steps of `tf.compat.v1.train.warm_start`."""

from reflow.compat.train.warm_starting import grouped_variables as _get_grouped_variables  # noqa: F401
from reflow.compat.train.warm_starting import inferred_name as _infer_var_name  # noqa: F401
from reflow.compat.train.warm_starting import object_keys as _get_object_checkpoint_renames  # noqa: F401
from reflow.compat.train.warm_starting import variable_info as _get_var_info  # noqa: F401
from reflow.compat.train.warm_starting import warm_start_with_vocabulary as _warm_start_var_with_vocab  # noqa: F401
