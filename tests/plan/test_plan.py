"""A plan: counts, hours, bytes, calls and prices by hand; nothing done; everything that is missing named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.plan import run_plan, show_plan
from squtr.errors import UserError
from squtr.plan.counts import known_collections
from squtr.plan.plan import Plan
from squtr.recipe_file import read_recipe
from tests.building import CHINESE, ENGLISH, command, write_collection, write_recipe

HUB = f"hf://datasets/some/collection@{'d' * 40}"
JUDGE = "audio-llm,model=m,key=SOME_KEY,usd_per_request=0.01,usd_per_second=0.001"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for variable in (
        "HF_HOME",
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "SQUTR_NOISE",
        "SQUTR_NOISE_CACHE",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "SOME_KEY",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(home))
    for variable in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))
    return home


def plan_of(recipe: Path | str, **changes: Any) -> Plan:
    arguments = {"collection": None, "language": None, "limit": None, "voice": None, "out": Path()} | changes
    return run_plan(str(recipe), **arguments)


def recipe_of(tmp_path: Path, **changes: Any) -> Path:
    write_collection(tmp_path / "en-first", ENGLISH)
    write_collection(tmp_path / "zh-second", CHINESE)
    return write_recipe(tmp_path, **changes)


def test_what_only_some_languages_need(tmp_path: Path) -> None:
    for language in ("de", "ja"):
        write_collection(tmp_path / f"{language}-some", ENGLISH)
        found = run_plan(None, tmp_path / f"{language}-some", language, None, None, Path())
        named = {need.name for need in found.needs if need.how == "pip install 'squtr[languages]'"}
        assert named == {{"de": "num2words", "ja": "pyopenjtalk"}[language]}


def test_figures_by_hand(tmp_path: Path) -> None:
    found = plan_of(recipe_of(tmp_path))
    assert (found.queries, found.takes, found.recordings) == (6, 12, 18)
    english = sum(map(len, ENGLISH.values())) * (0.03 * 0.20) ** 0.5
    chinese = sum(map(len, CHINESE.values())) * (0.08 * 0.70) ** 0.5
    assert found.clean_seconds == pytest.approx(english + chinese)
    pcm = (english + chinese) * 24000 * 2
    assert found.bytes["audio"] == pytest.approx(3 * pcm + 18 * 44, abs=1)
    assert found.bytes["cache"] == pytest.approx(2 * pcm, abs=1)
    files = [tmp_path / name / "corpus.jsonl" for name in ("en-first", "zh-second")]
    assert found.bytes["corpora"] == sum(file.stat().st_size for file in files)
    assert {one.counted for one in found.collections} == {"read"} and found.bytes["downloads"] == 0


def test_queries_that_cannot_score_are_not_counted(tmp_path: Path) -> None:
    write_collection(tmp_path / "en-first", ENGLISH, ["q1\td-0\t1", "q2\td-1\t0"])
    found = plan_of(write_recipe(tmp_path))
    assert found.queries == 1
    assert found.collections[0].characters == len(ENGLISH["q1"])


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_a_limit_holds_for_each_collection(tmp_path: Path, limit: int) -> None:
    assert plan_of(recipe_of(tmp_path), limit=limit).queries == min(limit, 4) + min(limit, 2)


def test_what_the_choosing_recogniser_heard_is_not_counted_again(tmp_path: Path) -> None:
    recogniser = "tests.doubles:ToneRecogniser"
    own = {"en": recogniser, "zh": "whisper-base"}
    found = plan_of(recipe_of(tmp_path, choose={"recogniser": recogniser}, screen={"recogniser": own}))
    calls = [(one.stage, one.engine, one.calls) for one in found.calls if one.stage in ("choose", "screen")]
    assert calls == [("choose", recogniser, 12), ("screen", recogniser, 0), ("screen", "whisper-base", 2)]


def test_prices_come_from_the_options(tmp_path: Path) -> None:
    voice = "openai,model=tts,key=SOME_KEY,usd_per_1000_characters=2"
    judges = [{"judge": JUDGE, "min_score": 4.0}, {"judge": "dictation", "min_score": 4.0}]
    found = plan_of(recipe_of(tmp_path, screen={"judges": judges}, speak={"voice": voice}))
    usd = {one.engine.partition(",")[0]: one.usd for one in found.calls}
    spoken = sum(2 * one.queries * round(one.characters) * 0.002 for one in found.collections)
    assert usd["openai"] == pytest.approx(spoken, abs=0.01)
    assert usd["audio-llm"] == pytest.approx(6 * 0.01 + found.clean_seconds * 0.001, abs=0.01)
    assert usd["dictation"] is None and found.usd == pytest.approx(usd["openai"] + usd["audio-llm"])


def test_what_is_shown_of_prices_and_counts(tmp_path: Path, capsys) -> None:
    free = {"judges": [{"judge": "audio-llm,model=m,key=", "min_score": 4.0}]}
    write_collection(tmp_path / "en-first", {"q1": "who wrote hamlet"})
    found = plan_of(write_recipe(tmp_path, screen=free, speak={"takes": 1}))
    show_plan(found, False)
    said = capsys.readouterr().out
    assert "1 query, 1 take, 3 recordings under 3 conditions" in said
    assert "not given" in said and "USD" not in said
    cheap = {"judges": [{"judge": "audio-llm,model=m,key=,usd_per_request=0.001", "min_score": 4.0}]}
    show_plan(plan_of(write_recipe(tmp_path, screen=cheap)), False)
    assert capsys.readouterr().out.count("below 0.01 USD") == 2


def test_advice_is_given_once(tmp_path: Path, capsys) -> None:
    here = {"name": "x", "language": "en", "path": HUB}
    model = f"faster-whisper,model=some/model,revision={'d' * 40}"
    show_plan(plan_of(write_recipe(tmp_path, collections=[here], choose={"recogniser": model})), False)
    said = capsys.readouterr().out
    assert said.count("The build itself fetches what `hf download` names") == 1
    assert said.count("hf download some/collection") == said.count("hf download some/model") == 1


def test_unknown_speaker_settings_are_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    recipe = recipe_of(tmp_path, speak={"voice": "espeak"})
    row = {"id": "a", "language": "en", "voices": {"espeak": {"voise": "en-us"}}}
    (tmp_path / "speakers.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(UserError, match=r"speakers\.jsonl:1: speaker 'a': .* 'voise'\. Did you mean 'voice'"):
        plan_of(recipe)


def test_a_key_is_named_and_never_shown(tmp_path: Path, monkeypatch, capsys) -> None:
    recipe = recipe_of(tmp_path, screen={"judges": [{"judge": JUDGE, "min_score": 4.0}]})
    (missing,) = plan_of(recipe).missing
    assert (missing.kind, missing.name) == ("key", "SOME_KEY")
    monkeypatch.setenv("SOME_KEY", "sk-very-secret")
    show_plan(plan_of(recipe), True)
    said = capsys.readouterr().out
    assert json.loads(said)["ready"] is True and "sk-very-secret" not in said


def test_a_collection_that_is_not_here_is_not_counted_and_is_missing(tmp_path: Path, capsys) -> None:
    recipe = recipe_of(tmp_path)
    text = recipe.read_text().replace("path: zh-second", f"path: {HUB}")
    recipe.write_text(text)
    found = plan_of(recipe)
    assert found.queries == 4
    assert [need.name for need in found.missing if need.kind == "collection"] == [HUB]
    show_plan(found, False)
    said = capsys.readouterr().out
    assert (
        "zh/second │       ? │" in said and "Not counted, for they are not on this machine: zh/second" in said
    )


@pytest.mark.parametrize(
    ("noise", "how"),
    [
        ("squtr17", "squtr noise fetch demand --to"),
        ("noisex15", "There is no download"),
        ("demand,path=nowhere", "nowhere: no such folder"),
        ("folder,path=nowhere", "nowhere: no such folder"),
    ],
)
def test_noise_that_is_not_here_says_how_to_get_it(tmp_path: Path, noise: str, how: str) -> None:
    (missing,) = plan_of(recipe_of(tmp_path, mix={"noise": noise})).missing
    assert missing.kind == "noise" and how in missing.how


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mix": {"noise": "squtr17,reverberation=what"}}, "cannot be read as 'what'"),
        ({"mix": {"noise": "demnad"}}, "Did you mean 'demand'"),
        ({"mix": {"noise": "procedural", "categories": ["moon"]}}, "mix.categories: moon: not in procedural"),
        ({"choose": {"recogniser": "paraformer,model=a/b"}}, "no revision is pinned"),
        (
            {"screen": {"judges": [{"judge": "audio-llm,model=m,key=sk-1", "min_score": 4.0}]}},
            "NAME of the env",
        ),
        ({"speak": {"voice": "kokoro,loudness=3"}}, "loudness"),
        (
            {"collections": [{"name": "x", "language": "en", "path": "nowhere"}]},
            "nowhere: no such file or folder",
        ),
    ],
)
def test_a_faulty_recipe_is_refused_as_by_a_build(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        plan_of(recipe_of(tmp_path, **changes))


def test_speakers_that_are_missing_are_named_by_language(tmp_path: Path) -> None:
    found = plan_of(recipe_of(tmp_path, speak={"voice": {"en": "tests.doubles:ToneVoice", "zh": "espeak"}}))
    (missing,) = found.missing
    assert missing.name == "speakers.jsonl: zh speakers for espeak"
    found = plan_of(recipe_of(tmp_path, speak={"speakers": "nobody.jsonl"}))
    assert [need.kind for need in found.missing] == ["speakers", "speakers"]
    assert all(need.how.count("name another table in speak.speakers") == 1 for need in found.missing)
    assert all("recipe.yaml:" in need.how for need in found.missing)
    assert all("nobody.jsonl: no such file" in need.how for need in found.missing)


def test_a_part_of_one_s_own_that_cannot_be_imported_is_missing(tmp_path: Path) -> None:
    (missing,) = plan_of(recipe_of(tmp_path, choose={"recogniser": "no_such_package.asr:Own"})).missing
    assert missing.kind == "package" and "no_such_package" in missing.how


@pytest.mark.parametrize("name", ["demo", "pocket"])
def test_the_embedded_recipes_are_ready(name: str) -> None:
    assert plan_of(name).is_ready


def test_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import collections

    usage = collections.namedtuple("usage", "total used free")(10, 10, 1000)
    monkeypatch.setattr("squtr.plan.missing.shutil.disk_usage", lambda folder: usage)
    (missing,) = plan_of(recipe_of(tmp_path), out=tmp_path / "not" / "yet").missing
    assert missing.kind == "space" and str(tmp_path) in missing.name


def test_the_paper_s_recipe(own_home: Path) -> None:
    found = plan_of("squtr")
    assert (found.queries, found.takes, found.recordings) == (37_317, 111_951, 149_268)
    assert found.clean_seconds * 4 / 3600 == pytest.approx(190.4, abs=0.5)
    assert found.bytes["audio"] == pytest.approx(32.9e9, rel=0.01)
    calls = {(one.stage, one.languages): one.calls for one in found.calls if one.stage != "judge"}
    assert calls == {
        ("speak", ("en", "zh")): 111_951,
        ("choose", ("en",)): 34_515,
        ("choose", ("zh",)): 77_436,
        ("screen", ("en",)): 0,
        ("screen", ("zh",)): 0,
    }
    assert [one.calls for one in found.calls if one.stage == "judge"] == [37_317, 37_317]
    kinds = {need.kind for need in found.missing}
    assert kinds >= {"collection", "model", "noise", "speakers", "key", "package"}
    assert sum(need.kind == "collection" for need in found.missing) == 6
    assert list(own_home.rglob("*")) == []


def test_the_paper_s_recipe_and_the_known_facts_pin_the_same() -> None:
    recipe, _ = read_recipe("squtr")
    pinned = {source.path.removeprefix("hf://datasets/") for source in recipe.collections}
    assert pinned == set(known_collections())
    assert sum(known.queries for known in known_collections().values()) == 37_317
    assert recipe.screen.max_error_rate == 0.30 and recipe.mix.snrs_db == (20.0, 10.0, 0.0)


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_width(width: int) -> None:
    done = command("plan", "squtr", COLUMNS=str(width))
    assert done.returncode == 0, done.stderr
    tables = [line for line in done.stdout.splitlines() if line[:1] in "│┃┏└"]
    assert len(tables) > 15 and all(len(line) <= width for line in tables)
    assert "37,317 queries, 111,951 takes" in done.stdout and "…" not in done.stdout


def test_the_command_line(tmp_path: Path) -> None:
    folder = write_collection(tmp_path / "mine", ENGLISH)
    done = command(
        "plan", "--collection", folder, "--language", "en", "--limit", "2", "--voice", "espeak", "--json"
    )
    assert json.loads(done.stdout)["takes"] == 6
    assert command("plan", "no-such-recipe").returncode == 2
    by_path = command("plan", Path(__file__).parents[2] / "data_build" / "squtr.yaml", "--json")
    assert json.loads(by_path.stdout)["ready"] is False and by_path.returncode == 0
    assert list(tmp_path.glob("home/**/*")) == []


def test_out_is_looked_at_and_its_room_is_told(tmp_path: Path, capsys) -> None:
    recipe = recipe_of(tmp_path)
    for out in (recipe, recipe / "x"):
        with pytest.raises(UserError, match=rf"^{recipe}: is a file\. --out takes a folder\.$"):
            plan_of(recipe, out=out)
    show_plan(plan_of(recipe, out=tmp_path / "not" / "yet"), False)
    assert re.search(
        rf"^Room for it: 0\.0 GB at {tmp_path} \([\d.]+ GB are free\)\.$", capsys.readouterr().out, re.M
    )
