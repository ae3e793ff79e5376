"""Named values that a command line can change."""

import pytest

from reflow.drop_in.contrib.index import contrib

HParams = contrib.training.HParams


def test_parameters_keep_their_types():
    hparams = HParams(rate=0.1, units=[1, 2], name="a", deep=True, steps=3)
    hparams.parse("rate=2, units=[3,4],name=b c,deep=false,steps=7")
    assert hparams.values() == {"rate": 2.0, "units": [3, 4], "name": "b c", "deep": False, "steps": 7}
    hparams.parse("units[1]=9")
    assert hparams.units == [3, 9] and "rate" in hparams and hparams.get("x", 5) == 5
    hparams.override_from_dict({"steps": 4}).set_hparam("rate", 1)
    assert hparams.rate == 1.0 and HParams(a=1, b="x").to_json(sort_keys=True) == '{"a": 1, "b": "x"}'
    assert hparams.parse_json('{"name": "z"}').name == "z"
    hparams.del_hparam("deep")
    assert str(hparams) == "[('name', 'z'), ('rate', 1.0), ('steps', 4), ('units', [3, 9])]"


@pytest.mark.parametrize("text, error", [
    ("steps=1.5", "Could not parse hparam 'steps'"), ("other=1", "Unknown hyperparameter type for other"),
    ("steps", "Malformed"), ("deep=yes", "Could not parse"), ("steps=[1,2]", "Must not pass a list"),
])  # fmt: skip
def test_wrong_texts_raise(text, error):
    with pytest.raises(ValueError, match=error):
        HParams(steps=3, deep=True).parse(text)


def test_names_are_given_once():
    with pytest.raises(ValueError, match="reserved: steps"):
        HParams(steps=1).add_hparam("steps", 2)
    with pytest.raises(ValueError, match="cannot be empty"):
        HParams(units=[])
