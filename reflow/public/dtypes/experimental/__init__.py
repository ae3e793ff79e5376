# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.dtypes.experimental`."""

from reflow.core.dtypes import float4_e2m1fn as float4_e2m1fn
from reflow.core.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from reflow.core.dtypes import float8_e4m3fn as float8_e4m3fn
from reflow.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from reflow.core.dtypes import float8_e5m2 as float8_e5m2
from reflow.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from reflow.core.dtypes import int2 as int2
from reflow.core.dtypes import int4 as int4
from reflow.core.dtypes import uint2 as uint2
from reflow.core.dtypes import uint4 as uint4
