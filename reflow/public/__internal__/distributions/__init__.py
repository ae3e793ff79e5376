# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.distributions`."""

from reflow.compat.distributions.bijectors import Bijector as Bijector
from reflow.compat.distributions.bijectors import Identity as Identity
from reflow.compat.distributions.softplus import BetaWithSoftplusConcentration as BetaWithSoftplusConcentration
from reflow.compat.distributions.softplus import ExponentialWithSoftplusRate as ExponentialWithSoftplusRate
from reflow.compat.distributions.softplus import (
    GammaWithSoftplusConcentrationRate as GammaWithSoftplusConcentrationRate,
)
from reflow.compat.distributions.softplus import LaplaceWithSoftplusScale as LaplaceWithSoftplusScale
from reflow.compat.distributions.softplus import NormalWithSoftplusScale as NormalWithSoftplusScale
from reflow.compat.distributions.softplus import StudentTWithAbsDfSoftplusScale as StudentTWithAbsDfSoftplusScale
from reflow.compat.distributions.special import LOGNDTR_FLOAT32_LOWER as LOGNDTR_FLOAT32_LOWER
from reflow.compat.distributions.special import LOGNDTR_FLOAT32_UPPER as LOGNDTR_FLOAT32_UPPER
from reflow.compat.distributions.special import LOGNDTR_FLOAT64_LOWER as LOGNDTR_FLOAT64_LOWER
from reflow.compat.distributions.special import LOGNDTR_FLOAT64_UPPER as LOGNDTR_FLOAT64_UPPER
from reflow.compat.distributions.special import erfinv as erfinv
from reflow.compat.distributions.special import log_cdf_laplace as log_cdf_laplace
from reflow.compat.distributions.special import log_ndtr as log_ndtr
from reflow.compat.distributions.special import ndtr as ndtr
from reflow.compat.distributions.special import ndtri as ndtri
