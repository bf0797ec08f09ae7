# make demo: build and score the embedded collection's demo slice; make test: every test that needs no torch.
PYTHON ?= python3
VENV ?= .venv
OUT ?= demo
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test check clean

demo: $(INSTALLED)
	$(BIN)/squtr build demo --out $(OUT)/data
	$(BIN)/squtr eval $(OUT)/data --out $(OUT)/eval
	@echo "Open $(OUT)/eval/report.html"

test: $(INSTALLED)
	$(BIN)/python -m pytest -n auto --dist loadgroup

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[embedded,dev]'
	touch $@

clean:
	rm -rf $(VENV) $(OUT)
