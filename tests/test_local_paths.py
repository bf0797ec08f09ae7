"""What leaves a machine does not tell where things lay on it."""

from __future__ import annotations

from typing import Any

import pytest

from squtr.local_paths import without_local_paths


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("faster-whisper,model=/home/a person/models/base,beam=5", "faster-whisper,model=base,beam=5"),
        ("bm25 | whisper,model=~/models/tiny", "bm25 | whisper,model=tiny"),
        (r"whisper,model=C:\Users\me\tiny", "whisper,model=tiny"),
        ("/srv/my code/mine.py:Mine", "mine.py:Mine"),
        (
            "squtr eval d --asr '/srv/a.py:A' --retriever '/srv/b/c.py:C'",
            "squtr eval d --asr 'a.py:A' --retriever 'c.py:C'",
        ),
        ("systems/mine.py:Mine", "systems/mine.py:Mine"),
        ("dense,model=org/name", "dense,model=org/name"),
        ("openai,url=https://example.org/v1/audio", "openai,url=https://example.org/v1/audio"),
        ("dense,model=hf://org/name@abc", "dense,model=hf://org/name@abc"),
        ("/disk/someone/sets/en", "en"),
        ("piper,model=/disk/someone/v.onnx,size=2", "piper,model=v.onnx,size=2"),
        ("C:\\Users\\someone\\x.yaml", "x.yaml"),
        ("pocket/en", "pocket/en"),
        ("either /or", "either /or"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ("/", "/"),
        ({"path": ["/a/b"], "n": 1}, {"path": ["b"], "n": 1}),
        ("bm25", "bm25"),
        ('transcripts,path="/home/a person/ev al"', 'transcripts,path="ev al"'),
        ("whisper,model=~someone/models/tiny", "whisper,model=tiny"),
        ("whisper,model=file:///home/me/tiny", "whisper,model=tiny"),
    ],
)
def test_folders_of_a_machine_are_not_given_away(value: Any, plain: Any) -> None:
    assert without_local_paths(value) == plain
