# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.tpu.experimental.embedding`."""

from reflow.distribute.tpu.embedding import TPUEmbedding as TPUEmbedding
from reflow.distribute.tpu.embedding import TPUEmbeddingForServing as TPUEmbeddingForServing
from reflow.distribute.tpu.embedding import TPUEmbeddingV0 as TPUEmbeddingV0
from reflow.distribute.tpu.embedding import TPUEmbeddingV2 as TPUEmbeddingV2
from reflow.distribute.tpu.embedding import serving_embedding_lookup as serving_embedding_lookup
from reflow.distribute.tpu.embedding_config import CustomCombiner as CustomCombiner
from reflow.distribute.tpu.embedding_config import FeatureConfig as FeatureConfig
from reflow.distribute.tpu.embedding_config import QuantizationConfig as QuantizationConfig
from reflow.distribute.tpu.embedding_config import RowIdInitializer as RowIdInitializer
from reflow.distribute.tpu.embedding_config import SparseCoreEmbeddingConfig as SparseCoreEmbeddingConfig
from reflow.distribute.tpu.embedding_config import TableConfig as TableConfig
from reflow.distribute.tpu.optimizers import Adagrad as Adagrad
from reflow.distribute.tpu.optimizers import AdagradMomentum as AdagradMomentum
from reflow.distribute.tpu.optimizers import Adam as Adam
from reflow.distribute.tpu.optimizers import CustomOptimizer as CustomOptimizer
from reflow.distribute.tpu.optimizers import FTRL as FTRL
from reflow.distribute.tpu.optimizers import SGD as SGD
