"""Catalogues: what a YAML file may say, and faults named with their line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from noise_archives import ENVIRONMENTS, NOISES

from squtr.errors import UserError
from squtr.noise_sources.catalogue import Catalogue, built_in, find_catalogue, read_catalogue
from squtr.noise_sources.tree import glob_pattern

TEXT = """name: mine
licence: CC0-1.0
expect:
  seconds: 60
categories:
  rain: rain/*.wav
  fan: [a.wav, b/**/*.flac]
  cafe:
    sources: {demand: [SCAFE]}
  hall:
    reading: dry
    readings:
      dry: {sources: {}}
      wet: {sources: {other: [hall]}}
"""


def test_a_glob_a_list_and_a_mapping_are_categories(written):
    catalogue = read_catalogue(written(TEXT))
    assert catalogue.globs("rain") == ("rain/*.wav",)
    assert catalogue.globs("fan") == ("a.wav", "b/**/*.flac")
    assert catalogue.globs("cafe") == catalogue.globs("hall") == ()
    assert catalogue.categories["cafe"].sources == {"demand": ("SCAFE",)}
    assert catalogue.terms == "CC0-1.0"
    assert (catalogue.synthetic, catalogue.redistribute, catalogue.id) == (False, True, "{path}")


def test_globs_of_the_catalogue_serve_categories_without_their_own(written):
    text = (
        "name: m\nlicence: x\nfiles: ['{category}/*.wav']\ncategories: {a: {title: A}, b: {files: b.wav}}\n"
    )
    catalogue = read_catalogue(written(text))
    assert (catalogue.globs("a"), catalogue.globs("b")) == (("a/*.wav",), ("b.wav",))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("licence:", "license:", 2, "Did you mean 'licence'"),
        ("  rain: rain/*.wav", "  rain: 3", 6, "rain"),
        ("  rain: rain/*.wav", "  rain: {flies: [a.wav]}", 6, "Did you mean 'files'"),
        ("  rain: rain/*.wav", "  rain: {}", 1, "category rain has neither files nor sources"),
        ("  rain: rain/*.wav", "  ra in: x.wav", 6, "ra in"),
        ("  rain: rain/*.wav", "  rain: ../x.wav", 6, "no .."),
        ("  rain: rain/*.wav", "  rain: /x.wav", 6, "relative to the folder"),
        ("  rain: rain/*.wav", "  rain: 'a[9-0].wav'", 6, "no glob"),
        ("  rain: rain/*.wav", "  fan: x.wav", 7, "fan stands already on line 6"),
        ("    sources: {demand", "    files: [a.wav]\n    sources: {demand", 8, "exclude each other"),
        ("reading: dry", "reading: damp", 10, "reading has to be one of dry, wet"),
        ("seconds: 60", "seconds: long", 4, "number"),
        ("seconds: 60", "seconds: .nan", 4, "finite"),
        ("name: mine", "name: my noise", 1, "may hold letters"),
        (
            "name: mine",
            "name: mine\nid: '{stem}-{channel}'",
            2,
            "an id is made of {category}, {path}, {stem}",
        ),
        ("name: mine", "name: mine\nid: fixed", 2, "an id is made of"),
        ("name: mine", "name: mine\nsynthetic: perhaps", 2, "synthetic"),
        ("name: mine", "name: !!python/name:os.system", 1, "not plain YAML"),
    ],
)
def test_c54_faults_are_named_with_file_and_line(written, old, new, line, words):
    assert old in TEXT
    path = written(TEXT.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        read_catalogue(path)
    assert f"{path}:{line}: " in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{file: ../a.zip, category: a}", "file"),
        ("{file: a.zip, category: a, sha256: abc}", "sha256"),
        ("{file: a.zip, category: a, bytes: 0}", "bytes"),
        ("{file: a.zip, category: b}", "no category b"),
    ],
)
def test_faulty_archives_are_refused(written, row, words):
    text = f"name: m\nlicence: x\ncategories: {{a: a.wav}}\ndownload: {{url: u, archives: [{row}]}}\n"
    with pytest.raises(UserError, match=words):
        read_catalogue(written(text))


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "name: x\n", "\t", "a: &a [*a]\n"])
def test_files_that_are_no_catalogue_are_user_errors(written, text):
    with pytest.raises(UserError, match="mine"):
        read_catalogue(written(text))


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], deadline=None)
@given(key=st.sampled_from([*Catalogue.model_fields, "categories"]), value=_PLAIN)
def test_any_values_are_taken_or_refused_by_name(tmp_path_factory, key, value):
    plain = {"name": "m", "licence": "x", "categories": {"a": "a.wav"}} | {key: value}
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(yaml.safe_dump(plain, allow_unicode=True), encoding="utf-8")
    try:
        assert read_catalogue(path).name
    except UserError as error:
        assert str(path) in str(error)


def test_names_and_paths_find_catalogues(written):
    assert find_catalogue("demand").name == "demand.yaml"
    assert find_catalogue(str(written(TEXT))).name == "mine.yaml"
    with pytest.raises(UserError, match="Did you mean 'demand'"):
        find_catalogue("demnad")
    with pytest.raises(UserError, match="Known: demand, noisex15, noisex92, squtr17"):
        find_catalogue("embedded")


def test_built_in_catalogues_hold_what_they_promise():
    demand, noisex = (read_catalogue(built_in()[name]) for name in ("demand", "noisex92"))
    assert list(demand.categories) == ENVIRONMENTS
    assert list(noisex.categories) == NOISES
    assert "CC BY-SA 3.0" in demand.terms and "CC BY 4.0" in demand.terms
    assert noisex.terms == "none is stated anywhere: never redistribute it"
    assert (demand.redistribute, noisex.redistribute) == (True, False)
    assert not read_catalogue(built_in()["noisex15"]).redistribute


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("a.wav", "a.wav", True),
        ("a.wav", "A.WAV", True),
        ("a.wav", "x/a.wav", False),
        ("a.wav", "axwav", False),
        ("*.wav", "rain.wav", True),
        ("*.wav", "x/rain.wav", False),
        ("**/*.wav", "rain.wav", True),
        ("**/*.wav", "x/y/rain.wav", True),
        ("x/**/a.wav", "x/a.wav", True),
        ("x/**/a.wav", "xx/a.wav", False),
        ("x/**", "x/y/z.wav", True),
        ("ch0[1-9].wav", "ch07.wav", True),
        ("ch0[1-9].wav", "ch00.wav", False),
        ("ch0[!1-3].wav", "ch02.wav", False),
        ("ch0[!1-3].wav", "ch04.wav", True),
        ("ch0[!1-3].wav", "ch0/.wav", False),
        ("ch?.wav", "ch1.wav", True),
        ("ch?.wav", "ch/.wav", False),
        ("a[b.wav", "a[b.wav", True),
        ("(a|b)+.wav", "(a|b)+.wav", True),
    ],
)
def test_globs(glob, path, fits):
    assert (glob_pattern(glob).fullmatch(path) is not None) == fits


@given(st.text(max_size=12) | st.text("[]!-*?/ab\n", max_size=12))
def test_every_glob_is_a_pattern_and_a_plain_one_fits_itself(text):
    try:
        pattern = glob_pattern(text)
    except ValueError:
        assert "[" in text
        return
    if not set(text) & set("*?["):
        assert pattern.fullmatch(text)
