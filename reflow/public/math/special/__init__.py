# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.math.special`."""

from reflow.api.math.special import bessel_i0 as bessel_i0
from reflow.api.math.special import bessel_i0e as bessel_i0e
from reflow.api.math.special import bessel_i1 as bessel_i1
from reflow.api.math.special import bessel_i1e as bessel_i1e
from reflow.api.math.special import bessel_j0 as bessel_j0
from reflow.api.math.special import bessel_j1 as bessel_j1
from reflow.api.math.special import bessel_k0 as bessel_k0
from reflow.api.math.special import bessel_k0e as bessel_k0e
from reflow.api.math.special import bessel_k1 as bessel_k1
from reflow.api.math.special import bessel_k1e as bessel_k1e
from reflow.api.math.special import bessel_y0 as bessel_y0
from reflow.api.math.special import bessel_y1 as bessel_y1
from reflow.api.math.special import dawsn as dawsn
from reflow.api.math.special import expint as expint
from reflow.api.math.special import fresnel_cos as fresnel_cos
from reflow.api.math.special import fresnel_sin as fresnel_sin
from reflow.api.math.special import spence as spence
