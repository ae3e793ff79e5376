"""`tf.estimator`: models as functions, trained, evaluated and exported from a folder. The public names are in
`reflow/public/estimator/`.

TensorFlow removed estimators in version 2.16. These are written on `tf.compat.v1`: each call builds a new graph and
runs it in a session.
"""

from reflow.core.namespaces import room

__getattr__, __dir__ = room(__name__)
