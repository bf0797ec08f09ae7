import json

import pytest

from squtr.errors import UserError
from squtr.retrievers.prompts import chosen_prompts, declared_prompts, families, family_of

QWEN = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "


def configured(folder, **plain):
    (folder / "config_sentence_transformers.json").write_text(json.dumps(plain), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("intfloat/multilingual-e5-large", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("/models/e5-base-v2/", "e5"),
        ("Qwen/Qwen3-Embedding-0.6B", "qwen3"),
        ("BAAI/bge-small-zh-v1.5", "bge-zh"),
        ("BAAI/bge-large-en-v1.5", "bge-en"),
        ("BAAI/bge-m3", "none"),
        ("sentence-transformers/all-MiniLM-L6-v2", "none"),
        ("google/embeddinggemma-300m", "embedding-gemma"),
        ("my/own-model", None),
        ("my/e5", None),
    ],
)
def test_families_go_by_the_last_part_of_the_name(name, family):
    assert family_of(name) == family


def test_the_presets_hold_the_published_instruction_with_its_line_break():
    assert families()["qwen3"].query == QWEN
    assert (families()["e5"].query, families()["e5"].document) == ("query: ", "passage: ")


def test_what_the_spec_says_wins(tmp_path):
    folder = configured(tmp_path, prompts={"query": "declared "})
    assert chosen_prompts("x/e5-base", folder, "e5", "mine ", None).query == "mine "
    assert chosen_prompts("x/e5-base", folder, "e5", None, "").source == "spec"


def test_a_preset_wins_over_what_the_model_declares(tmp_path):
    folder = configured(tmp_path, prompts={"query": "declared ", "document": "d "})
    assert chosen_prompts("x/y", folder, "e5", None, None).document == "passage: "
    assert chosen_prompts("x/y", folder, None, None, None).document == "d "
    assert chosen_prompts("x/y", folder, "model", None, None).source == "model"


def test_declared_prompts_are_read_as_the_package_uses_them(tmp_path):
    assert declared_prompts(tmp_path) is None
    assert declared_prompts(configured(tmp_path, prompts={})) is None
    assert declared_prompts(configured(tmp_path, prompts={"query": "", "document": ""})) is None
    passage = declared_prompts(configured(tmp_path, prompts={"query": "q: ", "passage": "p: "}))
    assert (passage.query, passage.document) == ("q: ", "p: ")
    default = declared_prompts(configured(tmp_path, prompts={"s2p": "s: "}, default_prompt_name="s2p"))
    assert (default.query, default.document) == ("s: ", "s: ")


def test_a_family_that_wants_prompts_is_not_run_without_in_silence(tmp_path):
    with pytest.raises(UserError, match=r"prompt=e5 .*prompt=none"):
        chosen_prompts("intfloat/e5-small-v2", tmp_path, None, None, None)
    assert chosen_prompts("intfloat/e5-small-v2", tmp_path, "none", None, None).query == ""
    assert chosen_prompts("x/all-MiniLM-L6-v2", tmp_path, None, None, None).query == ""
    assert chosen_prompts("x/unknown", tmp_path, None, None, None).query == ""


def test_an_unknown_preset_and_a_broken_configuration_are_refused(tmp_path):
    with pytest.raises(UserError, match="'qwen3'"):
        chosen_prompts("x/y", tmp_path, "qwen", None, None)
    (tmp_path / "config_sentence_transformers.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="config_sentence_transformers"):
        chosen_prompts("x/y", tmp_path, None, None, None)
