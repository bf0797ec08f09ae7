"""What a recipe may say: defaults, digests, places."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from squtr.content import content
from squtr.errors import UserError
from squtr.recipe import Recipe, check_recipe, resolve_path, spec_for
from squtr.recipe_file import line_of, read_recipe
from squtr.section import _section_of

MINIMAL = {"name": "a", "collections": [{"name": "x", "language": "en", "path": "p"}]}


def recipe(**changes: object) -> Recipe:
    return check_recipe({**MINIMAL, **changes}, "here")


def test_built_in_recipes_are_sound():
    names = sorted(path.stem for path in content("data_build", "recipes").glob("*.yaml"))
    assert {"demo", "pocket"} <= set(names)
    for name in names:
        found, base = read_recipe(name)
        assert found.name == name
        for source in found.collections:
            assert resolve_path(source.path, base, "data_build").is_dir()
        assert resolve_path(found.speak.speakers, base, "data_build").is_file()


def test_pocket_writes_out_the_defaults():
    pocket, _ = read_recipe("pocket")
    bare = check_recipe({"name": "pocket", "collections": pocket.model_dump()["collections"]}, "here")
    assert pocket == bare


def test_pocket_writes_out_every_setting():
    plain = yaml.safe_load(content("data_build", "recipes", "pocket.yaml").read_text(encoding="utf-8"))
    assert unwritten(Recipe, plain) == ["collections.0.qrels", "screen.judges.0.name"]


def unwritten(model: type[BaseModel], plain: dict[str, object], above: str = "") -> list[str]:
    """Return the fields that plain values do not name; of a list, those of its first entry."""
    found = []
    for name, field in model.model_fields.items():
        value, inner = plain.get(name), _section_of(field.annotation)
        if name not in plain:
            found.append(above + name)
        elif inner is not None and value:
            first = isinstance(value, list)
            found += unwritten(inner, value[0] if first else value, f"{above}{name}.{'0.' * first}")
    return found


def test_a_recipe_read_back_is_itself():
    first = recipe(mix={"snrs_db": [20, -2.5]}, screen={"judges": [{"judge": "dnsmos", "min_score": 2}]})
    assert check_recipe(first.model_dump(mode="json"), "build.json") == first


@pytest.mark.parametrize(
    "change",
    [
        {"name": "b"},
        {"seed": 1},
        {"select": {"limit": 3}},
        {"speak": {"takes": 2}},
        {"choose": {"recogniser": "x"}},
        {"screen": {"max_error_rate": 0.31}},
        {"mix": {"snrs_db": [0, 10, 20]}},
        {"mix": {"draw_per": "condition"}},
        {"collections": [{"name": "x", "language": "zh", "path": "p"}]},
    ],
)
def test_every_setting_is_in_the_digest(change):
    assert recipe(**change).digest != recipe().digest


def test_resources_decide_no_byte_and_so_are_in_no_digest():
    shared = recipe(resources={"speak": {"gpus": 0.5, "batch": 8}})
    assert (shared.resources.share("speak").gpus, shared.resources.share("mix").batch) == (0.5, 1)
    assert shared.digest == recipe().digest
    assert "resources" not in shared.description


def test_an_engine_may_be_given_for_each_language():
    both = [{"name": "x", "language": language, "path": "p"} for language in ("en", "zh")]
    found = recipe(collections=both, choose={"recogniser": {"en": "a", "zh": "b"}})
    assert [spec_for(found.choose.recogniser, language) for language in ("en", "zh")] == ["a", "b"]
    assert spec_for(found.screen.recogniser, "zh") == "whisper-base"
    assert found.digest != recipe(collections=both, choose={"recogniser": "a"}).digest


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ({"zh": "b"}, "here: speak.voice: no engine for 'en', which a collection is in"),
        ({"en": "a", "xx": "b"}, "here: speak.voice.xx: no collection of the recipe is in 'xx'. Take it out"),
        ({}, "here: speak.voice: one engine must stand here, or one for each language"),
        ({"en": 3}, "here: speak.voice: one engine must stand here, or one for each language"),
        (["a"], "here: speak.voice: one engine must stand here, or one for each language"),
    ],
)
def test_engines_by_language_that_are_none(engine, message):
    with pytest.raises(UserError, match=message) as caught:
        recipe(speak={"voice": engine})
    assert len(str(caught.value).splitlines()) == 1


def test_a_judge_without_a_name_leaves_the_digest_as_it_was():
    rule = {"judge": "dnsmos", "min_score": 2.5}
    bare = recipe(screen={"judges": [rule]})
    assert bare.model_dump(mode="json")["screen"]["judges"] == [rule]
    assert recipe(screen={"judges": [{**rule, "name": "mos"}]}).digest != bare.digest


def test_two_judges_of_one_name_are_refused():
    rules = [{"judge": judge, "min_score": 1.0, "name": "ear"} for judge in ("dnsmos", "dictation")]
    with pytest.raises(UserError, match="the same judge is listed twice"):
        recipe(screen={"judges": rules})


def test_where_a_collection_lies_is_not_in_the_digest():
    elsewhere = [{"name": "x", "language": "en", "path": "/some/where"}]
    assert recipe(collections=elsewhere).digest == recipe().digest


def test_numbers_of_one_value_have_one_digest():
    assert recipe(mix={"snrs_db": [10, 0]}).digest == recipe(mix={"snrs_db": [10.0, -0.0]}).digest


def test_all_faults_are_named_at_once():
    with pytest.raises(UserError) as caught:
        recipe(speak={"takes": "many", "vioce": "x"}, seed=1.5)
    assert str(caught.value).splitlines() == [
        "here: seed: a whole number must stand here (found 1.5).",
        "here: speak.takes: a whole number must stand here (found 'many').",
        "here: unknown key 'speak.vioce'. Did you mean 'voice'?",
    ]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "-a", "a b", "é", "a" * 65, "a\n"])
def test_c52_subset_names_are_plain_folder_names(name):
    with pytest.raises(UserError, match=r"collections\.0\.name"):
        recipe(collections=[{"name": name, "language": "en", "path": "p"}])


def test_an_input_path_is_sought_beside_the_recipe_first(tmp_path):
    assert resolve_path("speakers.jsonl", tmp_path, "data_build") == content("data_build", "speakers.jsonl")
    (tmp_path / "speakers.jsonl").touch()
    assert resolve_path("speakers.jsonl", tmp_path, "data_build") == tmp_path / "speakers.jsonl"
    with pytest.raises(UserError, match=r"nowhere: no such file or folder \(looked at .* and .*\)"):
        resolve_path("nowhere", tmp_path, "data_build")


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(MINIMAL), encoding="utf-8-sig")
    assert read_recipe(tmp_path / "r.yaml")[0].name == "a"


def test_lines_of_places():
    tree = yaml.compose("a: 1\nb:\n  - c: 2\n    d: 3\n  - {c: 4}\n'5': x\n", Loader=yaml.SafeLoader)
    assert line_of(tree, ("a",)) == 1
    assert line_of(tree, ("b", 0, "d")) == 4
    assert line_of(tree, ("b", 1, "c")) == 5
    assert line_of(tree, ("b", 1, "missing")) == 5
    assert line_of(tree, ("b", 9)) == 2
    assert line_of(tree, (5,)) == 6
    assert line_of(tree, ("nowhere",)) == 1


@given(
    st.dictionaries(
        st.sampled_from(["seed", "speak", "mix", "x"]),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.text(),
            st.lists(st.integers()),
            st.dictionaries(
                st.sampled_from(["takes", "voice", "snrs_db", "y"]),
                st.one_of(st.floats(), st.text(), st.lists(st.floats())),
            ),
        ),
    )
)
def test_any_values_are_taken_or_refused_by_name(changes):
    try:
        found = recipe(**changes)
    except UserError as error:
        assert str(error).startswith("here: ")
        return
    assert len(found.digest) == 64


def test_a_faulty_entry_is_told_once_and_a_judge_stands_once():
    with pytest.raises(UserError) as told:
        check_recipe({"name": "a", "collections": [{"name": "x", "language": False, "path": "p"}]}, "here")
    assert str(told.value).count("\n") == 0 and "language" in str(told.value)
    twice = [{"judge": "dnsmos", "min_score": 2}, {"judge": "dnsmos", "min_score": 3}]
    with pytest.raises(UserError, match="the same judge is listed twice"):
        recipe(screen={"judges": twice})
