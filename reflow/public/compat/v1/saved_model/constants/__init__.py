# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.constants`."""

from reflow.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from reflow.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from reflow.saved_model.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from reflow.saved_model.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from reflow.saved_model.constants import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from reflow.saved_model.constants import MAIN_OP_KEY as MAIN_OP_KEY
from reflow.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from reflow.saved_model.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from reflow.saved_model.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from reflow.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from reflow.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
