"""Tiny random models that the real classes save and load: BERT of 2 layers over a vocabulary of words."""

from __future__ import annotations

from pathlib import Path

WORDS = "red green blue apple pear plum ripe the of a capital france paris rain query : [unused0]".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tokenizer(folder: Path):
    from transformers import BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *WORDS]), encoding="utf-8")
    return BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64)


def configuration(**further):
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
        **further,
    )


def save_splade(folder: Path) -> Path:
    import torch
    from sentence_transformers import SparseEncoder
    from sentence_transformers.sparse_encoder.models import MLMTransformer, SpladePooling
    from transformers import BertForMaskedLM

    torch.manual_seed(7)
    base = folder / "base"
    tokenizer(base).save_pretrained(base)
    BertForMaskedLM(configuration()).save_pretrained(base)
    SparseEncoder(modules=[MLMTransformer(str(base)), SpladePooling()], device="cpu").save(
        str(folder / "splade")
    )
    return folder / "splade"


def save_cross_encoder(folder: Path, labels: int = 1) -> Path:
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(7)
    tokenizer(folder).save_pretrained(folder)
    BertForSequenceClassification(configuration(num_labels=labels)).save_pretrained(folder)
    return folder
