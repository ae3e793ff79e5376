"""DTensor: tensors that are divided over a mesh of devices. The public names: `reflow/public/experimental/dtensor/`.

A `Mesh` is an array of devices with named dimensions, a `Layout` says over which of them each axis of a tensor is divided. They are
JAX's `Mesh` and `NamedSharding`; a DTensor's value is a `jax.Array`, and XLA's partitioner divides the work of ops and functions.
"""
