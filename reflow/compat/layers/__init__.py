"""`tf.compat.v1.layers`: layers that create variables with `get_variable`, so that scopes can share them."""
