"""Progress: nothing on standard output, a last line for every stage, no line for every item."""

from __future__ import annotations

import io

from rich.console import Console
from rich.progress import Progress

from squtr.progress import Bars, Lines, Silent, reporter


def test_lines_say_the_end_of_each_stage(capsys):
    lines = Lines()
    for stage in ("speak", "mix"):
        lines.total(stage, 1000)
        for _ in range(1000):
            lines.advance(stage, 1)
    out, said = capsys.readouterr()
    assert out == ""
    assert [line.partition(" (")[0] for line in said.splitlines()] == ["speak: 1000/1000", "mix: 1000/1000"]


def test_lines_give_rate_and_time_left(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    lines = Lines()
    lines.total("speak", 100)
    for _ in range(10):
        lines.advance("speak", 1)
        now[0] += 2
    assert capsys.readouterr().err == "speak: 6/100 (0.6/s, 157 s left)\n"


def test_a_total_may_grow(capsys):
    lines = Lines()
    lines.total("speak", 2)
    lines.advance("speak", 2)
    lines.total("speak", 3)
    lines.advance("speak", 1)
    assert [line.partition(" ")[2][:3] for line in capsys.readouterr().err.splitlines()] == ["2/2", "3/3"]


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
