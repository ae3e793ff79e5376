"""`tf.saved_model.experimental.TrackableResource`, where this folder's files look for it."""

from reflow.core.trackable_resource import TrackableResource

__all__ = ["TrackableResource"]
