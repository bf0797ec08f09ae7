"""Models of the transformers library with random weights and a few units, as save_pretrained writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh", "ja")
_SPECIAL = ("<|endoftext|>", "<|startoftranscript|>")
_TASKS = ("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>")


def whisper(folder: Path, *, is_multilingual: bool = True) -> Path:
    """Write a Whisper with a vocabulary of bytes and three languages."""
    import torch
    import transformers

    folder.mkdir(parents=True)
    tokenizer = _whisper_tokenizer(folder, LANGUAGES if is_multilingual else ())
    start = tokenizer.convert_tokens_to_ids("<|startoftranscript|>")
    config = transformers.WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=80,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_target_positions=40,
        decoder_start_token_id=start,
        pad_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(1)
    model = transformers.WhisperForConditionalGeneration(config)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.6)
    model.generation_config = transformers.GenerationConfig(**_generation(tokenizer, is_multilingual))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    transformers.WhisperFeatureExtractor(feature_size=80).save_pretrained(folder)
    return folder


def _whisper_tokenizer(folder: Path, languages: tuple[str, ...]) -> Any:
    import transformers
    from tokenizers import pre_tokenizers

    words = {mark: place for place, mark in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    (folder / "vocab.json").write_text(json.dumps(words | {"<|endoftext|>": len(words)}), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    files = (str(folder / "vocab.json"), str(folder / "merges.txt"))
    tokenizer = transformers.WhisperTokenizer(*files, pad_token="<|endoftext|>")
    times = [f"<|{place * 0.02:.2f}|>" for place in range(1501)]
    tagged = [f"<|{language}|>" for language in languages]
    named = [*_SPECIAL, *tagged, *_TASKS, "<|notimestamps|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": named})
    tokenizer.add_tokens(times)
    return tokenizer


def _generation(tokenizer: Any, is_multilingual: bool) -> dict[str, Any]:
    number = tokenizer.convert_tokens_to_ids
    plain = {
        "decoder_start_token_id": number("<|startoftranscript|>"),
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.eos_token_id,
        "no_timestamps_token_id": number("<|notimestamps|>"),
        "prev_sot_token_id": number("<|startofprev|>"),
        "max_initial_timestamp_index": 50,
        "max_length": 24,
        "is_multilingual": is_multilingual,
        "return_timestamps": False,
        "suppress_tokens": list(range(number("<|startoftranscript|>"), len(tokenizer))),
        "do_sample": True,
        "temperature": 3.0,
        "num_beams": 3,
    }
    if is_multilingual:
        plain["lang_to_id"] = {f"<|{name}|>": number(f"<|{name}|>") for name in LANGUAGES}
        plain["task_to_id"] = {name: number(f"<|{name}|>") for name in ("translate", "transcribe")}
    return plain


def wav2vec2(folder: Path) -> Path:
    """Write a Wav2Vec2 for CTC over the letters; its first layer normalises over time."""
    import torch
    import transformers

    folder.mkdir(parents=True)
    marks = ["<pad>", "<s>", "</s>", "<unk>", "|", *"abcdefghijklmnopqrstuvwxyz"]
    words = {mark: place for place, mark in enumerate(marks)}
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    transformers.Wav2Vec2CTCTokenizer(str(folder / "vocab.json")).save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(return_attention_mask=False).save_pretrained(folder)
    config = transformers.Wav2Vec2Config(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(8, 8, 8),
        conv_stride=(8, 8, 5),
        conv_kernel=(10, 8, 5),
        num_feat_extract_layers=3,
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    model = transformers.Wav2Vec2ForCTC(config)
    torch.nn.init.normal_(model.lm_head.weight)
    model.save_pretrained(folder)
    return folder
