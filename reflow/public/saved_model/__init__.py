# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.saved_model`: SavedModels."""

from reflow.io.assets import Asset as Asset
from reflow.public.saved_model import experimental as experimental
from reflow.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from reflow.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from reflow.saved_model.constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from reflow.saved_model.constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from reflow.saved_model.constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from reflow.saved_model.constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from reflow.saved_model.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from reflow.saved_model.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from reflow.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from reflow.saved_model.constants import GPU as GPU
from reflow.saved_model.constants import PREDICT_INPUTS as PREDICT_INPUTS
from reflow.saved_model.constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from reflow.saved_model.constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from reflow.saved_model.constants import REGRESS_INPUTS as REGRESS_INPUTS
from reflow.saved_model.constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from reflow.saved_model.constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from reflow.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from reflow.saved_model.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from reflow.saved_model.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from reflow.saved_model.constants import SERVING as SERVING
from reflow.saved_model.constants import TPU as TPU
from reflow.saved_model.constants import TRAINING as TRAINING
from reflow.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from reflow.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from reflow.saved_model.loading import contains_saved_model as contains_saved_model
from reflow.saved_model.loading import load as load
from reflow.saved_model.options import LoadOptions as LoadOptions
from reflow.saved_model.options import SaveOptions as SaveOptions
from reflow.saved_model.saving import save as save
