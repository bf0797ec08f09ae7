import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import squtr
from squtr import plugins
from squtr.errors import UserError
from squtr.languages import languages
from squtr.retrievers.analyser import LUCENE_STOP_WORDS, analyser

ENGLISH, CHINESE = analyser("en"), analyser("zh")


def test_one_object_serves_corpus_and_queries():
    assert analyser("en") is ENGLISH
    assert analyser("zh") is CHINESE


def test_c42_unknown_language_is_an_error_that_lists_the_known():
    with pytest.raises(UserError, match=r"en, .*zh"):
        analyser("xx-klingon")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("vitamin c", ["vitamin", "c"]),
        ("Running runs, easily", ["run", "run", "easili"]),
        ("The cats of the city", ["cat", "citi"]),
        ("Beyoncé's first CAFÉ", ["beyonc", "s", "first", "cafe"]),
        ("cafe\u0301 near me", ["cafe", "near", "me"]),
        ("rainy-day / emergency_fund", ["raini", "dai", "emerg", "fund"]),
        ("ＩＢＭ ３６０ x² ½", ["ibm", "360", "x2", "1", "2"]),
        ("v0.0.16 (555) 010-0199", ["v0", "0", "16", "555", "010", "0199"]),
        ("us tv's", ["us", "tv", "s"]),
        ("to be or not to be", []),
        ("the of and", []),
        ("🙂 ?! ...", []),
        ("", []),
    ],
)
def test_english_tokens(text, tokens):
    assert ENGLISH.tokens(text) == tokens


def test_stop_words_are_lucenes_33_and_go_before_stemming():
    assert len(LUCENE_STOP_WORDS) == 33
    assert ENGLISH.tokens(" ".join(LUCENE_STOP_WORDS)) == []
    assert ENGLISH.tokens("being ands") == ["be", "and"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("中国首都", ["中国", "首都"]),
        ("肝病能吃鱼吗", ["肝病", "能", "吃", "鱼", "吗"]),
        ("《北京》的人口是多少？！。", ["北京", "的", "人口", "是", "多少"]),
        ("２０２４年", ["2024", "年"]),
        ("用Python写代码", ["用", "python", "写", "代码"]),
        ("60% c++ 3.14", ["60", "c", "3", "14"]),
        ("　\t\n", []),
        ("？，。、🙂", []),
    ],
)
def test_chinese_tokens(text, tokens):
    assert CHINESE.tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("富士山の高さ", ["富士", "士山", "山の", "の高", "高さ"]),
        ("ﾗｰﾒﾝ", ["ラー", "ーメ", "メン"]),
        ("Pythonで書く", ["python", "で書", "書く"]),
        ("茶。茶", ["茶", "茶"]),
        ("時々、2024年", ["時々", "2024", "年"]),
        ("！？🙂", []),
    ],
)
def test_bigrams(text, tokens):
    assert analyser("ja").tokens(text) == tokens


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Die Häuser", "die hauser"),
        ("fr", "montagnes élevées", "montagne élevée"),
        ("es", "montañas", "montaña"),
        ("fr", "Ça dépend", "ca depend"),
    ],
)
def test_snowball_stems_and_folds(language, one, other):
    assert analyser(language).tokens(one) == analyser(language).tokens(other)


def test_an_unknown_stemmer_is_refused():
    with pytest.raises(UserError, match=r"no stemmer 'klingon'"):
        plugins.load("analyser", "snowball,stemmer=klingon")
    with pytest.raises(UserError, match=r"Did you mean 'german'"):
        plugins.load("analyser", "snowball,stemmer=germany")


def test_chinese_script_is_left_as_it_is():
    assert "".join(CHINESE.tokens("聽我講")) == "聽我講"


@pytest.mark.parametrize("language", sorted(languages()))
@given(text=st.text())
def test_tokens_hold_letters_and_digits_only_and_do_not_depend_on_normal_form(language, text):
    tokens = analyser(language).tokens(text)
    assert all(token.isalnum() for token in tokens)
    assert analyser(language).tokens(unicodedata.normalize("NFC", text)) == tokens


@pytest.mark.parametrize(
    ("language", "parts"),
    [("en", ["english", "lucene33", "porter", "PyStemmer-"]), ("zh", ["chinese", "NFKC", "jieba-0."])],
)
def test_fingerprint_names_options_and_libraries(language, parts):
    assert all(part in analyser(language).fingerprint for part in parts)


def test_jieba_writes_no_cache_and_says_nothing(tmp_path):
    code = "from squtr.retrievers.analyser import analyser; print(len(analyser('zh').tokens('中国首都')))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(squtr.__file__).parents[1],
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("2", "")
    assert list(tmp_path.iterdir()) == []
