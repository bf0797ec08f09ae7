"""The registry: names, options and dotted paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.plugins import BUILT_IN, PROTOCOLS, check, join_spec, load, resolve, split_spec
from tests.doubles import Hum, ToneVoice, WordJudge


def test_every_built_in_name_can_be_imported():
    for kind, names in BUILT_IN.items():
        for name in names:
            assert callable(resolve(kind, name))


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("kokoro", "kokoro", {}),
        ("a,x=1,y=2.5,z=true,w=text", "a", {"x": 1, "y": 2.5, "z": True, "w": "text"}),
        (" a , x = 1 ", "a", {"x": 1}),
        ("m.n:C,path=folder/a=b", "m.n:C", {"path": "folder/a=b"}),
        ("a,x='1'", "a", {"x": "1"}),
        ("a,x=", "a", {"x": None}),
        ('a,p="query: ",y=1', "a", {"p": "query: ", "y": 1}),
        ('a,p="one, two\\nthree: \\"x\\", y",y=1', "a", {"p": 'one, two\nthree: "x", y', "y": 1}),
        ("a,p='it''s, so',y=1", "a", {"p": "it's, so", "y": 1}),
        ("a,p=it's,y=1", "a", {"p": "it's", "y": 1}),
        ("a,p=b[c,y=1", "a", {"p": "b[c", "y": 1}),
        ('a,m=["b,k=1", c],y=1', "a", {"m": ["b,k=1", "c"], "y": 1}),
        ("a,p={subset}/x.{condition}.txt,y=1", "a", {"p": "{subset}/x.{condition}.txt", "y": 1}),
        ("a,p={subset}", "a", {"p": "{subset}"}),
        ('a,m={en: "b,k=1", zh: c},y=1', "a", {"m": {"en": "b,k=1", "zh": "c"}, "y": 1}),
    ],
)
def test_specs(spec, name, options):
    assert split_spec(spec) == (name, options)


@pytest.mark.parametrize(
    "spec", ["a,b", "a,=1", "a,", "a,x=[", "a,x=!!python/name:os.system", "a,x=2020-99-99"]
)
def test_broken_specs(spec):
    with pytest.raises(UserError, match="a,"):
        split_spec(spec)


def test_an_option_that_stands_twice():
    with pytest.raises(UserError, match=r"^'bm25,k1=1, k1 =2': k1 stands twice\. Keep one\.$"):
        split_spec("bm25,k1=1, k1 =2")


@given(st.text())
def test_any_spec_is_split_or_refused(spec):
    try:
        name, options = split_spec(spec)
    except UserError:
        return
    assert name == spec.partition(",")[0].strip()
    assert all(options)


def test_load_by_path_with_options_over_defaults():
    judge = load("judge", "tests.doubles:WordJudge,word=loud", word="soft", low=2.0)
    assert isinstance(judge, WordJudge)
    assert (judge.word, judge.low) == ("loud", 2.0)
    assert isinstance(load("noise", "tests.doubles:Hum"), Hum)
    assert isinstance(load("voice", "tests.doubles:ToneVoice"), ToneVoice)


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("voice", "kokorro", r"Unknown voice 'kokorro'\. Did you mean 'kokoro'\?"),
        (
            "judge",
            "",
            r"Unknown judge ''\. Known: audio-llm, dictation, dnsmos\. A class of your own",
        ),
        ("voice", "nowhere.at:All", r"cannot be imported: No module named 'nowhere'.*PYTHONPATH"),
        ("voice", ":Voice", "a name is missing"),
        ("voice", ".relative:Voice", r"cannot be imported"),
        ("voice", "tests.doubles:", r"a name is missing\. Write package"),
        ("voice", "tests.doubles:Nothing", r"module tests\.doubles has no 'Nothing'"),
    ],
)
def test_unknown_names(kind, name, message):
    with pytest.raises(UserError, match=message):
        resolve(kind, name)


def test_a_missing_package_of_a_built_in_names_the_extra(monkeypatch):
    monkeypatch.setitem(BUILT_IN["voice"], "lost", "squtr.voices.lost:Lost")
    with pytest.raises(UserError, match=r"cannot be imported.*pip install 'squtr\[embedded\]'"):
        resolve("voice", "lost")


def test_unknown_options():
    with pytest.raises(UserError, match=r"judge 'tests\.doubles:WordJudge' needs the option word\. Write"):
        load("judge", "tests.doubles:WordJudge")
    with pytest.raises(UserError, match=r"noise 'tests\.doubles:Hum' has no option 'colour'"):
        load("noise", "tests.doubles:Hum,colour=pink")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("espeak,speed=3", r"^voice 'espeak' has no option 'speed'\. It takes none\.$"),
        ("openai,model=m,tris=3", r"^voice 'openai' has no option 'tris'\. Did you mean 'tries'\?$"),
        ("openai,model=m,formt=wav", r"has no option 'formt'\. Did you mean 'format'\?$"),
        ("openai,model=m,api_key=sk-1", r"has no option 'api_key'.* A key is never written out: key=NAME"),
        ("piper", r"^voice 'piper' needs the option model\. Write piper,model=\.\.\.$"),
        ("os:PathLike", r"^voice 'os:PathLike' is an abstract class\."),
        ("os:path", r"^voice 'os:path' is a module, not a class\."),
    ],
)
def test_options_are_told_in_our_own_words(spec, message):
    with pytest.raises(UserError, match=message) as told:
        load("voice", spec)
    assert "__init__" not in str(told.value) and "sk-1" not in str(told.value)


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text() | st.integers() | st.booleans())
)
def test_what_is_joined_is_split_again(options):
    assert split_spec(join_spec("name", options)) == ("name", options)


def test_entry_points_are_found(monkeypatch):
    class Point:
        name, value = "hum", "tests.doubles:Hum"

    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [Point] if group == "squtr.noise" else []
    )
    assert resolve("noise", "hum") is Hum
    with pytest.raises(UserError, match="Did you mean 'hum'"):
        resolve("noise", "humm")


def test_a_module_that_breaks_is_one_message(tmp_path, monkeypatch):
    (tmp_path / "broken_plugin.py").write_text("def (:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="cannot be imported: SyntaxError"):
        load("voice", "broken_plugin:X")


@pytest.mark.parametrize("kind", sorted(PROTOCOLS))
def test_a_class_of_another_kind_is_refused(kind):
    with pytest.raises(UserError, match=f"has no {PROTOCOLS[kind][0]} and no"):
        load(kind, "collections:OrderedDict")


class Unlucky:
    """A part that cannot be set up."""

    def __init__(self) -> None:
        raise RuntimeError("no gpu")


class Leaves:
    """A part that ends the process."""

    def __init__(self) -> None:
        raise SystemExit(0)


@pytest.mark.parametrize(("name", "said"), [("Unlucky", "RuntimeError: no gpu"), ("Leaves", "SystemExit: 0")])
def test_a_part_that_cannot_be_set_up_is_one_message(name: str, said: str) -> None:
    with pytest.raises(UserError, match=f"cannot be set up: {said}"):
        load("retriever", f"{__name__}:{name}")


class Unready:
    """A part whose check goes wrong."""

    fingerprint = "unready"

    def __init__(self, how: str) -> None:
        self.how = how

    def check(self) -> None:
        raise RuntimeError if self.how == "silent" else SystemExit(0)

    def transcribe(self, audio, language):
        raise AssertionError


@pytest.mark.parametrize(("how", "said"), [("silent", "RuntimeError"), ("exit", "SystemExit: 0")])
def test_a_check_that_goes_wrong_is_one_message(how: str, said: str) -> None:
    part = load("recogniser", f"{__name__}:Unready,how={how}")
    with pytest.raises(UserError, match=rf"^recogniser 'mine:X' cannot be set up: .*\.py:\d+: {said}\.$"):
        check("recogniser", "mine:X", part)


class Speechless:
    """A part whose set-up fails and says nothing."""

    def __init__(self) -> None:
        raise ValueError


def test_an_error_without_words_is_told_by_its_class() -> None:
    with pytest.raises(UserError, match=r"cannot be set up: ValueError\.$"):
        load("retriever", f"{__name__}:Speechless")
