# Two commands: `make compare` measures this machine, `make test` runs the tests. Neither needs root.
PYTHON ?= python3
BIN := .venv/bin
# The compiler wrappers of the stacks that are installed already, before those of the machine, as a PATH.
STACKS := $(wildcard $(CURDIR)/.venv/share/polympi/stacks/*/env/bin $(CURDIR)/.cache/polympi/stacks/*/env/bin)
EMPTY :=
# Options of `polympi run`, such as '--profile glance': of an option that is there twice, the last one holds.
ARGS =
# The MPI library of `make test` and `make sanitize`: mpich or openmpi.
STACK ?= mpich
PYTEST = $(BIN)/pytest --durations=20
# What fails is tried once more, alone, since other programs keep the processors busy; both tries are printed. But not
# tests of the interface: what it sends and receives does not depend on how busy the machine is.
tests = $(PYTEST) $(1) $(2) || { [ $$? -eq 1 ] && $(PYTEST) $(1) --last-failed --second-try; }
# Ranks wait as much as they compute, so tests of them share each of two processors; one takes the tests of a file.
WORKERS ?= 4
SHARED = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
# But the programs in bindings/ poll while they wait, and keep the processors from each other: the same tests took 178 s
# four at a time, 97 s two at a time, and 43 s one at a time, on two processors.
BINDINGS = tests/bindings --numprocesses 1
CORES = PATH=$(subst $(EMPTY) ,:,$(strip $(STACKS) $$PATH)) $(BIN)/python -m polympi.native.build

# Whichever part of the tests fails, the next one runs all the same, after it.
MAKEFLAGS += --keep-going
.NOTPARALLEL:
.PHONY: help compare unit test test-shared test-bindings test-exclusive system \
	system-shared system-bindings system-exclusive rest-shared rest-bindings rest-exclusive prerequisites stacks programs \
	catalogue core sanitize lint format site wheels release clean
.DEFAULT_GOAL := help

help: ## Say what each target does.
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

compare: .venv/lab | prerequisites ## Compare the MPI bindings on this machine; writes a report and says where. ARGS='--profile glance' for other options.
	$(BIN)/polympi stack add mpich
	$(BIN)/polympi run --stack mpich --profile quick $(ARGS)

unit: .venv/test | prerequisites ## Run the tests that need no MPI.
	$(call tests,-m "not (mpi or exclusive or slow or system)",$(SHARED))

test: test-shared test-bindings test-exclusive ## Run the tests of `make unit`, and those on an MPI library, which installs itself; STACK=openmpi for the other one.

# With those of `make unit`: each process of tests takes seconds to begin.
test-shared: .venv/test | prerequisites
	$(call tests,--stack=$(STACK) -m "not (exclusive or slow or system)" --ignore tests/bindings,$(SHARED))

test-bindings: .venv/test | prerequisites
	$(call tests,--stack=$(STACK) -m "not (exclusive or slow or system)" $(BINDINGS))

test-exclusive: .venv/test | prerequisites
	$(call tests,--stack=$(STACK) -m "exclusive and not (slow or system)")

system: system-shared system-bindings system-exclusive ## Run the tests that take long, or need more than C and Python: root, hosts, Slurm, containers, other languages.

system-shared: .venv/test | prerequisites
	$(call tests,-m "(slow or system) and not exclusive" --ignore tests/bindings,$(SHARED))

system-bindings: .venv/test | prerequisites
	$(call tests,-m "(slow or system) and not exclusive" $(BINDINGS))

system-exclusive: .venv/test | prerequisites
	$(call tests,-m "(slow or system) and exclusive")

# All tests but those whose names are in the file PASSED, on both libraries.
PASSED ?= /dev/null
rest-shared: .venv/test | prerequisites
	$(call tests,--passed=$(PASSED) -m "not (exclusive or sanitize)" --ignore tests/bindings,$(SHARED))

rest-bindings: .venv/test | prerequisites
	$(call tests,--passed=$(PASSED) -m "not exclusive" $(BINDINGS))

rest-exclusive: .venv/test | prerequisites
	$(call tests,--passed=$(PASSED) -m exclusive)

prerequisites: ## Say all that is missing on this machine, before anything is installed.
	@sh prerequisites.sh $(PYTHON)

stacks: .venv/test ## Install the MPI libraries of the tests, which the tests would do themselves.
	PYTHONPATH=tests $(BIN)/python tests/prepare.py

programs: .venv/test ## Compile the programs of the bindings, which the tests would do themselves.
	PYTHONPATH=tests $(BIN)/python tests/prepare.py programs

catalogue: .venv/lab ## Write anew what is made of src/polympi/lab/catalogue.toml, after a change there.
	$(BIN)/python bindings/harness/generate.py

core: .venv/test ## Compile the core of `import polympi` in place again, after a change in src/polympi/native.
	$(CORES)

# Pythons with their headers, and headers alone of others: packaging/wheels.py.
WHEEL_PYTHONS ?= $(PYTHON)
wheels: ## Build the wheels and the sdist into wheelhouse/, without a compiler of the system; WHEEL_PYTHONS='python3.11 python3.13' for other versions.
	$(PYTHON) packaging/wheels.py $(WHEEL_PYTHONS)

COUNTED = $(CURDIR)/.cache/coverage/core
UNDER_SANITIZERS = POLYMPI_TEST_COVERAGE=$(COUNTED) POLYMPI_TEST_SANITIZE=1
sanitize: .venv/test ## Run tests of the core under AddressSanitizer and UndefinedBehaviorSanitizer, and count the lines they reach.
	rm -rf $(COUNTED)
	$(UNDER_SANITIZERS) $(PYTEST) $(SHARED) --stack=$(STACK) -m "sanitize and not exclusive" tests/interface
	$(UNDER_SANITIZERS) $(PYTEST) --stack=$(STACK) -m "sanitize and exclusive" tests/interface
	$(UNDER_SANITIZERS) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" $(PYTEST) tests/native
	$(BIN)/gcovr --root src/polympi/native --merge-mode-functions separate --sort uncovered-percent --fail-under-line 88 $(COUNTED)

lint: .venv/lint ## Check types, style and formats.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/interface/snippets.py build/snippets # pyright passes over folders that begin with a dot
	$(BIN)/mypy build/snippets
	$(BIN)/basedpyright
	$(BIN)/lint-imports --cache-dir .cache/import-linter
	$(CORES) --werror --into .cache/lint
	cd .cache/lint && POLYMPI_CORE_FOLDER=. ../../$(BIN)/python -m mypy.stubtest polympi.native.core # elsewhere mypy meets the stub twice
	clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
	$(BIN)/codespell

format: .venv/lint ## Format all sources.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.hpp')

site: .venv/docs ## Build the documentation in build/site; an unresolved link is an error. `python -m http.server -d build/site` shows it.
	rm -rf build/site
	$(BIN)/sphinx-build --quiet --fresh-env --fail-on-warning --keep-going -c docs . build/site
	! grep -rElm1 '<(script|link|img)[^>]* (src|href)="https?:' build/site # it needs no network

# What is printed last uploads it, which a person does, or GitHub for a tag once a person has approved it.
release: wheels site ## Build and check all of a release: wheels, sdist, documentation and its notes; it uploads nothing.
	$(BIN)/twine check --strict wheelhouse/*
	$(BIN)/towncrier build --draft --version "$$($(BIN)/python -c 'import polympi; print(polympi.__version__)')"
	@git describe --tags --exact-match --match 'v*' 2>/dev/null || echo "This commit has no tag, so nothing would be published."
	@echo "To publish it: git tag v$$($(BIN)/python -c 'import polympi; print(polympi.__version__)') && git push --tags"

clean: ## Remove the environment, the stacks in it and the caches; results stay.
	rm -rf .venv .cache build wheelhouse .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python: | prerequisites
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

# Not quiet: a download may take minutes.
.venv/lab: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[lab]'
	@touch $@

.venv/test: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[lab,test]'
	@touch $@ .venv/lab

.venv/lint: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[lab,test,lint]'
	@touch $@ .venv/lab .venv/test

.venv/docs: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --disable-pip-version-check --editable '.[docs,lab]'
	@touch $@
