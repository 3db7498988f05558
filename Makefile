PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install run test dream migrate check schema bench clean

help: ## what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; say PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(INSTALLED)

install: $(INSTALLED) ## the virtual environment and everything in it

run: $(INSTALLED) ## database, API and worker in this terminal; Ctrl-C stops them
	@$(BIN)/python -m service run

test: $(INSTALLED) ## every test, on an embedded Postgres of its own [THROUGH_PGBOUNCER=1]
	@scripts/chromium.sh
	@scripts/pgbouncer.sh
	$(BIN)/python -m pytest -n $(or $(WORKERS),2)

dream: $(INSTALLED) ## AGENT=x [DRY_RUN=1]: consolidate one agent's memories now
	@test -n "$(AGENT)" || { echo "Whose dream? make dream AGENT=name"; exit 2; }
	@$(BIN)/python -m worker dream --agent "$(AGENT)" $(if $(DRY_RUN),--dry-run)

migrate: $(INSTALLED) ## bring the database to the newest schema
	@$(BIN)/python -m service migrate

check: $(INSTALLED) ## lint, format, types, import rules, compose.yaml
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml

schema: $(INSTALLED) ## write sql/schema.sql anew from the migrations
	UPDATE_SCHEMA=1 $(BIN)/python -m pytest -q tests/store/test_schema.py

bench: $(INSTALLED) ## PART=quality, speed, writes, peers, dream, proxy, models, tenants, scale, soak or transfer (default: all)
	$(BIN)/python -m tests.bench $(PART)

clean: ## remove the virtual environment (never your data)
	rm -rf $(VENV)
