"""Checkpoints of FunASR's own classes with random weights and a few units, written as FunASR reads them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import yaml

FRONT_END = {
    "frontend": "WavFrontend",
    "frontend_conf": {
        "fs": 16000,
        "window": "hamming",
        "n_mels": 80,
        "frame_length": 25,
        "frame_shift": 10,
        "lfr_m": 7,
        "lfr_n": 6,
    },
}
RATES = {"dropout_rate": 0.1, "positional_dropout_rate": 0.1, "attention_dropout_rate": 0.1}
SANM = {
    "output_size": 32,
    "attention_heads": 2,
    "linear_units": 64,
    "num_blocks": 2,
    "input_layer": "pe",
    "pos_enc_class": "SinusoidalPositionEncoder",
    "normalize_before": True,
    "kernel_size": 11,
    "sanm_shfit": 0,
    "selfattention_layer_type": "sanm",
    **RATES,
}


def paraformer(folder: Path) -> Path:
    """Write a Paraformer that knows sixty characters."""
    tokens = ["<blank>", "<s>", "</s>", *(chr(0x4E00 + i) for i in range(60)), "<unk>"]
    folder.mkdir(parents=True)
    (folder / "tokens.json").write_text(json.dumps(tokens), encoding="utf-8")
    (folder / "seg_dict").write_text("")
    config = {
        "model": "Paraformer",
        "model_conf": {"ctc_weight": 0.0, "predictor_weight": 1.0, "predictor_bias": 1},
        "encoder": "SANMEncoder",
        "encoder_conf": SANM,
        "decoder": "ParaformerSANMDecoder",
        "decoder_conf": {
            "attention_heads": 2,
            "linear_units": 64,
            "num_blocks": 2,
            "att_layer_num": 2,
            "kernel_size": 11,
            "sanm_shfit": 0,
        },
        "predictor": "CifPredictorV2",
        "predictor_conf": {"idim": 32, "threshold": 1.0, "l_order": 1, "r_order": 1, "tail_threshold": 0.45},
        **FRONT_END,
        "tokenizer": "CharTokenizer",
        "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
    }
    return _written(folder, config, {"tokenizer_conf": {"token_list": str(folder / "tokens.json")}})


def sensevoice(folder: Path, pieces: str) -> Path:
    """Write a SenseVoice with a sentencepiece vocabulary under the name `pieces`."""
    import sentencepiece

    folder.mkdir(parents=True)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the red house by the sea", "北京的人口是多少", "a green apple"] * 40),
        model_writer=model,
        vocab_size=48,
        hard_vocab_limit=False,
        user_defined_symbols=["<|zh|>", "<|en|>", "<|NEUTRAL|>", "<|Speech|>", "<|woitn|>"],
        minloglevel=2,
    )
    (folder / pieces).write_bytes(model.getvalue())
    _metas(folder, {"tokenizer_conf": {"bpemodel": pieces}})
    config = {
        "model": "SenseVoiceSmall",
        "model_conf": {"length_normalized_loss": True},
        "encoder": "SenseVoiceEncoderSmall",
        "encoder_conf": {**SANM, "tp_blocks": 1},
        **FRONT_END,
        "tokenizer": "SentencepiecesTokenizer",
        "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
    }
    return _written(folder, config, {"tokenizer_conf": {"bpemodel": str(folder / pieces)}})


def fun_asr(folder: Path) -> Path:
    """Write a Fun-ASR-Nano: an encoder, an adaptor and a Qwen3 of two layers with a vocabulary of bytes."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    inner = folder / "Qwen3-tiny"
    inner.mkdir(parents=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({mark: place for place, mark in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    fast.save_pretrained(inner)
    transformers.Qwen3Config(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.eos_token_id,
    ).save_pretrained(inner)
    language_model = {"llm_conf": {"init_param_path": inner.name}}
    _metas(folder, {"tokenizer_conf": {"init_param_path": inner.name}, **language_model})
    config = {
        "model": "FunASRNano",
        "model_conf": {},
        "audio_encoder": "SenseVoiceEncoderSmall",
        "audio_encoder_conf": {**SANM, "tp_blocks": 1},
        "audio_adaptor": "Transformer",
        "audio_adaptor_conf": {"downsample_rate": 1, "ffn_dim": 64, "n_layer": 1, "attention_heads": 2},
        "llm": "Qwen3",
        "llm_conf": {"hub": "hf", "llm_dtype": "fp32"},
        **FRONT_END,
        "tokenizer": "HuggingfaceTokenizer",
        "tokenizer_conf": {},
        "max_length": 12,
    }
    absolute = {
        "tokenizer_conf": {"init_param_path": str(inner)},
        "llm_conf": {**config["llm_conf"], "init_param_path": str(inner)},
    }
    return _written(folder, config, absolute)


def _metas(folder: Path, more: dict[str, Any]) -> None:
    metas = {"init_param": "model.pt", "config": "config.yaml", **more}
    (folder / "configuration.json").write_text(json.dumps({"file_path_metas": metas}))


def _written(folder: Path, config: dict[str, Any], paths: dict[str, Any]) -> Path:
    """Write the configuration, and the weights that FunASR draws when it builds the model without any."""
    import torch
    from funasr import AutoModel

    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    torch.manual_seed(0)
    built = AutoModel(**{**config, **paths, "device": "cpu", "disable_update": True, "log_level": "ERROR"})
    torch.save(built.model.state_dict(), folder / "model.pt")
    return folder
