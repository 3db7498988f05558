PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
RUNNABLE := $(VENV)/.runnable
COMPILE := build/uv/bin/uv pip compile pyproject.toml --group build --quiet --no-config --no-build --universal \
	--python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# Compiled modules are kept: tests start hundreds of processes, and each worker of pytest would rewrite every assert.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install lock advisories licences sbom newest run test test-all test-citus test-integrations dream migrate check schema clients settings screenshots bench clean

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

define install
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; say PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@echo "Installing $(1) into $(VENV) …"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --requirement $(1)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
endef

$(RUNNABLE): pyproject.toml requirements.lock
	$(call install,requirements.lock)
	@touch $@

$(INSTALLED): pyproject.toml requirements-dev.lock
	$(call install,requirements-dev.lock)
	@touch $@ $(RUNNABLE)

install: $(INSTALLED) ## the virtual environment and everything to develop with, as locked

lock: ## write the lock files anew after a change of pyproject.toml [UPGRADE=1: to the newest releases]
	$(PYTHON) -m venv build/uv
	build/uv/bin/python -m pip install --quiet 'uv>=0.9,<1'
	$(COMPILE) --extra dev --output-file requirements-dev.lock
	$(COMPILE) --extra local --constraint requirements-dev.lock --output-file requirements.lock

advisories: $(INSTALLED) ## fetch the published advisories that the locked packages are checked against (needs the internet)
	$(BIN)/python scripts/advisories.py --fetch

licences: $(INSTALLED) ## write docs/licences.md from what the locked packages declare
	$(BIN)/python scripts/licences.py

sbom: $(INSTALLED) ## write build/sbom: what the service and the TypeScript packages are made of, in CycloneDX
	@scripts/sbom.sh

newest: $(INSTALLED) ## try whether the newest releases that pyproject.toml allows can be installed together
	NEWEST=1 $(BIN)/python -m pytest -q -s -n 0 tests/packaging/test_newest.py

run: $(RUNNABLE) ## database, API and worker in this terminal; Ctrl-C stops them
	@scripts/studio.sh || [ $$? = 77 ]
	@$(BIN)/reverie up

define prepare_tests
	@scripts/chromium.sh
	@scripts/pgbouncer.sh
	@scripts/typescript.sh --version > /dev/null || [ $$? = 77 ]
	@scripts/studio.sh || [ $$? = 77 ]
endef

test: $(INSTALLED) ## every promise at least once, in some minutes, on an embedded Postgres of its own [WORKERS=2]
	$(prepare_tests)
	$(BIN)/python -m pytest --first-tier -n $(or $(WORKERS),2) --dist loadgroup --durations=10

# Two workers for each of two processors: many tests wait for processes, leases and deadlines.
test-all: $(INSTALLED) ## that and everything else [WORKERS=4] [THROUGH_PGBOUNCER=1]
	$(prepare_tests)
	$(BIN)/python scripts/test_all.py -n $(or $(WORKERS),4) --dist loadgroup --durations=30

test-citus: $(INSTALLED) ## what touches the database, on a Citus cluster of its own [PART=1: every statement, promises and drills]
	$(BIN)/python scripts/test_citus.py $(if $(PART),--part) -n $(or $(WORKERS),2) --dist loadgroup --durations=10

test-integrations: $(INSTALLED) ## the examples of every framework, under its real packages, which are installed into .integrations
	INSTALL_INTEGRATIONS=1 $(BIN)/python -m pytest -n 0 -m integration tests/integrations

dream: $(RUNNABLE) ## AGENT=x [DRY_RUN=1]: consolidate one agent's memories now
	@test -n "$(AGENT)" || { echo "Whose dream? make dream AGENT=name"; exit 2; }
	@$(BIN)/reverie dream "$(AGENT)" $(if $(DRY_RUN),--dry-run)

migrate: $(RUNNABLE) ## bring the database to the newest schema
	@$(BIN)/reverie migrate

check: $(INSTALLED) ## lint, format, types, import rules, dependencies, generated clients and settings page, compose.yaml, TypeScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.clients --check
	$(BIN)/python -m scripts.settings_page --check
	$(BIN)/python -m pytest -q -n 0 tests/supply_chain
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	@scripts/typescript.sh run --silent lint || [ $$? = 77 ]
	@scripts/studio.sh run --silent lint || [ $$? = 77 ]
	@scripts/studio.sh run --silent check || [ $$? = 77 ]

schema: $(INSTALLED) ## write sql/schema.sql, after an edit, as Postgres writes it
	UPDATE_SCHEMA=1 $(BIN)/python -m pytest -q tests/store/test_schema.py

clients: $(INSTALLED) ## write what of both clients is made of the API: answers, options, calls, methods
	$(BIN)/python -m scripts.clients

settings: $(INSTALLED) ## write docs/settings.md of the settings as the service defines them
	$(BIN)/python -m scripts.settings_page

screenshots: $(INSTALLED) ## every page of the Studio into build/studio-pages, some of them into docs/images
	SCREENSHOTS=1 $(BIN)/python -m pytest -q -n 0 tests/studio/test_screenshots.py

bench: $(INSTALLED) ## PART=quality, parts, speed, writes, peers, dream, contexts, proxy, middleware, models, tenants, users, worst, scale, soak, kills, studio or transfer (default: all)
	$(BIN)/python -m tests.bench $(PART)

clean: ## remove the virtual environment (never your data)
	rm -rf $(VENV)
