"""`tensorflow.python.framework.dtypes`: reference types, the tables between names, numbers and NumPy's types."""

import ml_dtypes

from reflow.core.dtypes import ALL, DType, as_dtype

_TYPE_TO_STRING = {d.as_datatype_enum: d.name for base in ALL for d in (base, base._as_ref)}
_STRING_TO_TF = {name: as_dtype(number) for number, name in _TYPE_TO_STRING.items()}
_INTERN_TABLE = {number: as_dtype(number) for number in _TYPE_TO_STRING}
_NP_TO_TF = {d.as_numpy_dtype: d for d in ALL if d.kind not in "so"}
TF_VALUE_DTYPES = {d for d in ALL if d.kind != "o"}
_NARROW = [d for d in ALL if hasattr(ml_dtypes, d.name)]
globals().update(
    {f"{d.name}_ref": d._as_ref for d in ALL}, half_ref=as_dtype("half_ref"), double_ref=as_dtype("double_ref"),
    **{f"_np_{d.name}": d.np_type for d in _NARROW},
    **{f"_np_{d.name}": d.as_numpy_dtype for d in ALL if d.is_quantized},
)

__all__ = ["DType", "TF_VALUE_DTYPES"]
