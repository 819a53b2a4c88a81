# Two commands: `make compare` measures this machine, `make test` runs all tests. Neither needs root.
PYTHON ?= python3
BIN := .venv/bin
# The compiler wrappers of the stacks that are installed already, before those of the machine, as a PATH.
STACKS := $(wildcard $(CURDIR)/.venv/share/polympi/stacks/*/env/bin $(CURDIR)/.cache/polympi/stacks/*/env/bin)
EMPTY :=
CORES = PATH=$(subst $(EMPTY) ,:,$(strip $(STACKS) $$PATH)) $(BIN)/python -m polympi.native.build

.PHONY: compare test prerequisites core sanitize lint format clean

compare: .venv/lab | prerequisites ## Compare the MPI bindings on this machine; writes a report and says where.
	$(BIN)/polympi stack add mpich
	$(BIN)/polympi run --stack mpich --profile quick

test: .venv/test | prerequisites ## Run the whole test suite, on real MPI libraries that install themselves.
	$(BIN)/pytest

prerequisites: ## Say all that is missing on this machine, before anything is installed.
	@sh prerequisites.sh $(PYTHON)

core: .venv/test ## Compile the core of `import polympi` in place again, after a change in src/polympi/native.
	$(CORES)

sanitize: .venv/test ## Run tests of the core under AddressSanitizer and UndefinedBehaviorSanitizer.
	POLYMPI_TEST_SANITIZE=1 $(BIN)/pytest -m sanitize tests/interface
	POLYMPI_TEST_SANITIZE=1 PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" $(BIN)/pytest tests/native

lint: .venv/lint ## Check types, style and formats.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(CORES) --werror --into .cache/lint
	cd .cache/lint && POLYMPI_CORE_FOLDER=. ../../$(BIN)/python -m mypy.stubtest polympi.native.core # elsewhere mypy meets the stub twice
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h')

format: .venv/lint ## Format all sources.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	clang-format -i $$(git ls-files '*.c' '*.h')

clean: ## Remove the environment, the stacks in it and the caches; results stay.
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python: | prerequisites
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

.venv/lab: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab]'
	@touch $@

.venv/test: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab,test]'
	@touch $@ .venv/lab

.venv/lint: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab,test,lint]'
	@touch $@ .venv/lab .venv/test
