"""`tf.compat.v1.layers`: layers whose variables are made by `get_variable`, so that scopes share them."""
