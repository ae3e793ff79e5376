"""What a failing step tells to those who listen."""

from reflow.devices.step import Step, sleepers, wake_all


def test_listeners():
    step, heard = Step(), []
    step.listen(heard.append)
    step.fail(ValueError("first"))
    step.forget(heard.append)
    step.fail(ValueError("second"))
    assert [str(error) for error in heard] == ["first"]


def test_sleepers_are_woken():
    class Sleeper:
        awake = False

        def wake(self):
            self.awake = True

    sleeper = Sleeper()
    sleepers.add(sleeper)
    wake_all()
    assert sleeper.awake
