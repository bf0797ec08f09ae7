"""Progress: nothing on standard output, a last line for every stage, no line for every item."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from squtr.progress import Bars, Lines, Silent, reporter


class Clock:
    """A clock that tests move by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.monotonic", clock)
    return clock


def test_lines_say_the_end_of_a_stage_that_took_a_while(capsys, clock):
    lines = Lines()
    for stage, seconds in (("speak", 3), ("mix", 1)):
        lines.total(stage, 100)
        for _ in range(100):
            clock.now += seconds / 100
            lines.advance(stage, 1)
    out, said = capsys.readouterr()
    assert out == ""
    assert said == "speak: 100/100 (33.3/s)\n"


def test_lines_give_rate_and_time_left(capsys, clock):
    lines = Lines()
    lines.total("speak", 100)
    for _ in range(10):
        lines.advance("speak", 1)
        clock.now += 2
    assert capsys.readouterr().err == "speak: 6/100 (0.6/s, 157 s left)\n"


def test_a_stage_that_runs_again_has_a_rate_of_its_own(capsys, clock):
    lines = Lines()
    lines.total("speak", 20)
    clock.now += 5
    lines.advance("speak", 20)
    clock.now += 1000
    lines.total("speak", 30)
    clock.now += 10
    lines.advance("speak", 5)
    assert capsys.readouterr().err == "speak: 20/20 (4.0/s)\nspeak: 25/30 (0.5/s, 10 s left)\n"


def test_bars_redraw_in_place():
    drawn = io.StringIO()
    with Progress(console=Console(file=drawn, force_terminal=True, width=80)) as progress:
        bars = Bars(progress)
        bars.total("speak", 2)
        bars.advance("speak", 1)
        bars.total("speak", 4)
        bars.advance("speak", 3)
        (task,) = progress.tasks
        assert (task.completed, task.total, task.finished) == (4, 4, True)


def test_a_pipe_gets_lines_and_silence_is_silent(capsys):
    with reporter() as found:
        assert isinstance(found, Lines)
    Silent().total("speak", 1)
    Silent().advance("speak", 1)
    assert capsys.readouterr() == ("", "")


def test_notes_are_lines_of_their_own_and_no_markup(capsys):
    Lines().note("en/x: 1 text [bold] odd")
    assert capsys.readouterr().err == "en/x: 1 text [bold] odd\n"
    drawn = io.StringIO()
    with Progress(console=Console(file=drawn, width=20)) as progress:
        Bars(progress).note("en/x: 1 text [bold] held control characters")
    assert "en/x: 1 text [bold] held control characters" in drawn.getvalue()
