"""DTensor: tensors sharded over a mesh of devices. The public names are in `reflow/public/experimental/dtensor/`.

A `Mesh` is an array of devices with named dimensions; a `Layout` says over which of them each axis of a tensor is
sharded. They correspond to JAX's `Mesh` and `NamedSharding`. A DTensor's value is a `jax.Array`, and XLA's partitioner
divides the work of ops and functions.
"""
