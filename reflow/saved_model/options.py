"""`tf.saved_model.SaveOptions` and `LoadOptions`."""

from __future__ import annotations

import enum

from reflow.api.export import export
from reflow.train.checkpoint import CheckpointOptions


@export("saved_model.experimental.VariablePolicy")
class VariablePolicy(enum.Enum):
    """Says what a SavedModel keeps of a variable's device.

    Attributes:
      NONE: Nothing.
      SAVE_VARIABLE_DEVICES: The device.
      EXPAND_DISTRIBUTED_VARIABLES: All copies of a distributed variable, each with its device.

    >>> tf.saved_model.SaveOptions(
    ...     experimental_variable_policy="save_variable_devices"
    ... ).experimental_variable_policy.name
    'SAVE_VARIABLE_DEVICES'
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj) -> VariablePolicy:
        """Returns the policy of a name.

        Args:
          obj: A policy, its name, or None.

        Returns:
          A `VariablePolicy`.

        Raises:
          ValueError: There is no such policy.
        """
        if isinstance(obj, VariablePolicy):
            return obj
        key = None if obj is None else str(obj).lower()
        for policy in VariablePolicy:
            if policy.value == key:
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


def _namespaces(given: list | None) -> list[str] | None:
    """The names of libraries whose ops may be saved; None for all."""
    if given is not None and not isinstance(given, list):
        raise TypeError(f"`namespace_whitelist` must be a list of strings. Got: {given} with type {type(given)}.")
    for name in given or ():
        if not isinstance(name, str):
            raise ValueError(f"Whitelisted namespace must be a string. Got: {name} of type {type(name)}.")
    return given


@export("saved_model.SaveOptions")
class SaveOptions:
    """Options of `tf.saved_model.save`.

    Args:
      namespace_whitelist: The libraries whose ops the model may use; None for all.
      save_debug_info: Whether to write which lines of the program the nodes come from.
      function_aliases: Names for functions: `{"name": tf.function}`.
      experimental_debug_stripper: Whether asserts and prints are left out.
      experimental_io_device: The device that writes, which is this host.
      experimental_variable_policy: A `tf.saved_model.experimental.VariablePolicy`, or its name.
      experimental_custom_gradients: Whether the gradients of functions with custom ones are saved.
      experimental_image_format: Not available, as in TensorFlow.
      experimental_skip_saver: Whether the ops with which TensorFlow 1 programs restore the variables are left out.
      experimental_sharding_callback: A `tf.train.experimental.ShardingCallback` that divides the values among files.
      extra_tags: Further tags besides "serve".

    Raises:
      ValueError: `experimental_image_format` is set, or a value is invalid.

    >>> tf.saved_model.SaveOptions(save_debug_info=True).save_debug_info
    True
    """

    __slots__ = (
        "namespace_whitelist", "save_debug_info", "function_aliases", "experimental_debug_stripper",
        "experimental_io_device", "experimental_variable_policy", "experimental_custom_gradients",
        "experimental_image_format", "experimental_skip_saver", "experimental_sharding_callback", "extra_tags",
    )

    def __init__(
        self, namespace_whitelist=None, save_debug_info=False, function_aliases=None, experimental_debug_stripper=False,
        experimental_io_device=None, experimental_variable_policy=None, experimental_custom_gradients=True,
        experimental_image_format=False, experimental_skip_saver=False, experimental_sharding_callback=None,
        extra_tags=None,
    ):
        if experimental_image_format:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        self.namespace_whitelist = _namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags
        self.for_checkpoint()  # rejects invalid values

    def for_checkpoint(self) -> CheckpointOptions:
        """The options of the checkpoint inside a SavedModel."""
        return CheckpointOptions(
            self.experimental_io_device, experimental_sharding_callback=self.experimental_sharding_callback
        )


@export("saved_model.LoadOptions")
class LoadOptions:
    """Options of `tf.saved_model.load`.

    Args:
      allow_partial_checkpoint: Whether variables may lack values in the checkpoint.
      experimental_io_device: The device that reads, which is this host.
      experimental_skip_checkpoint: Whether the values of variables are not loaded.
      experimental_variable_policy: A `tf.saved_model.experimental.VariablePolicy`, or its name. It is only checked.
      experimental_load_function_aliases: Whether the root gets `function_aliases`, the functions by their aliases.
      experimental_allow_unsafe_ops: Reflow's own: it lets in a model whose functions read or write files, talk to the
        network or run Python code. True allows all such ops, a list of names only those. Without it such a model is
        refused.

    >>> options = tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    >>> options.allow_partial_checkpoint, options.experimental_skip_checkpoint
    (False, True)
    """

    __slots__ = (
        "allow_partial_checkpoint",
        "experimental_io_device",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
        "experimental_load_function_aliases",
        "experimental_allow_unsafe_ops",
    )

    def __init__(
        self, allow_partial_checkpoint=False, experimental_io_device=None, experimental_skip_checkpoint=False,
        experimental_variable_policy=None, experimental_load_function_aliases=False, *,
        experimental_allow_unsafe_ops=False,
    ):
        CheckpointOptions(experimental_io_device)  # rejects a device that does not exist
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.experimental_allow_unsafe_ops = experimental_allow_unsafe_ops
