# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.debugging`: checks that raise."""

from reflow.api.control.printing import Assert as Assert
from reflow.api.debugging.asserts import assert_all_finite as assert_all_finite
from reflow.api.debugging.asserts import assert_equal as assert_equal
from reflow.api.debugging.asserts import assert_greater as assert_greater
from reflow.api.debugging.asserts import assert_greater_equal as assert_greater_equal
from reflow.api.debugging.asserts import assert_less as assert_less
from reflow.api.debugging.asserts import assert_less_equal as assert_less_equal
from reflow.api.debugging.asserts import assert_near as assert_near
from reflow.api.debugging.asserts import assert_negative as assert_negative
from reflow.api.debugging.asserts import assert_non_negative as assert_non_negative
from reflow.api.debugging.asserts import assert_non_positive as assert_non_positive
from reflow.api.debugging.asserts import assert_none_equal as assert_none_equal
from reflow.api.debugging.asserts import assert_positive as assert_positive
from reflow.api.debugging.asserts import assert_rank as assert_rank
from reflow.api.debugging.asserts import assert_rank_at_least as assert_rank_at_least
from reflow.api.debugging.asserts import assert_rank_in as assert_rank_in
from reflow.api.debugging.asserts import assert_scalar as assert_scalar
from reflow.api.debugging.asserts import check_numerics as check_numerics
from reflow.api.debugging.asserts import disable_traceback_filtering as disable_traceback_filtering
from reflow.api.debugging.asserts import enable_traceback_filtering as enable_traceback_filtering
from reflow.api.debugging.asserts import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from reflow.api.debugging.check_numerics import disable_check_numerics as disable_check_numerics
from reflow.api.debugging.check_numerics import enable_check_numerics as enable_check_numerics
from reflow.api.debugging.shapes import assert_shapes as assert_shapes
from reflow.api.debugging.types import assert_integer as assert_integer
from reflow.api.debugging.types import assert_proper_iterable as assert_proper_iterable
from reflow.api.debugging.types import assert_same_float_dtype as assert_same_float_dtype
from reflow.api.debugging.types import assert_type as assert_type
from reflow.api.debugging.types import is_numeric_tensor as is_numeric_tensor
from reflow.api.runtime_settings import get_log_device_placement as get_log_device_placement
from reflow.api.runtime_settings import set_log_device_placement as set_log_device_placement
