# Two commands: `make compare` measures this machine, `make test` runs all tests. Neither needs root.
PYTHON ?= python3
BIN := .venv/bin
# The compiler wrappers of the stacks that are installed already, before those of the machine, as a PATH.
STACKS := $(wildcard $(CURDIR)/.venv/share/polympi/stacks/*/env/bin $(CURDIR)/.cache/polympi/stacks/*/env/bin)
EMPTY :=
INTERFACE := tests/interface tests/native
# Options of pytest-cov for the tests of the laboratory.
COVERAGE ?=
# Options of `polympi run`, such as '--profile glance': of an option that is there twice, the last one holds.
ARGS =
# A mark: tests of the interface that have it are left out.
WITHOUT ?=
# Parts of a circle, one after another: tests of the interface, the others, and those of them that have the machine alone.
PARTS ?= interface laboratory alone
# Which of the large tests: "large and not waits and not busy" are those that need the machine for themselves.
LARGE ?= large
# Programs on ranks wait as much as they compute, so that tests of them share each of two processors.
WORKERS ?= 4
CORES = PATH=$(subst $(EMPTY) ,:,$(strip $(STACKS) $$PATH)) $(BIN)/python -m polympi.native.build

.PHONY: help compare test test-rest test-large test-hosts prerequisites stacks catalogue core sanitize lint format clean
.DEFAULT_GOAL := help

help: ## Say what each target does.
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

compare: .venv/lab | prerequisites ## Compare the MPI bindings on this machine; writes a report and says where. ARGS='--profile glance' for other options.
	$(BIN)/polympi stack add mpich
	$(BIN)/polympi run --stack mpich --profile quick $(ARGS)

# The parts, each a run of pytest; the two circles are in tests/circles.py.
interface = -m "not large$(if $(WITHOUT), and not $(WITHOUT))" --numprocesses $(WORKERS) --dist loadfile $(INTERFACE)
laboratory = -m "not large and not alone" --numprocesses 2 --dist loadfile $(addprefix --ignore=,$(INTERFACE)) $(COVERAGE) $(1)
alone = -m "not large and alone" $(addprefix --ignore=,$(INTERFACE)) $(if $(COVERAGE),$(COVERAGE) --cov-append)
part = $(if $(value $(1)),,$(error There is no part '$(1)' of the tests))$(BIN)/pytest --circle $(2) $(call $(1),$(3)) || failed="$$failed $(1)";
# Whichever part fails, the next ones run all the same.
define parts
@trap 'exit 130' INT; failed=; set -x; $(foreach name,$(PARTS),$(call part,$(name),$(1),$(2))) { set +x; } 2>/dev/null; \
	[ -z "$$failed" ] || { echo "Tests failed in these parts, each with a summary above:$$failed" >&2; exit 1; }
endef

test: .venv/test | prerequisites ## Run the test suite, on real MPI libraries that install themselves.
	$(call parts,first)

test-rest: .venv/test | prerequisites ## Run what `make test` leaves out: each test on the other MPI library, other languages, and what takes long.
	$(call parts,second,$(if $(COVERAGE),--cov-append))

test-large: .venv/test | prerequisites ## Run the tests of many ranks and, as root, of two hosts made of namespaces.
	$(BIN)/pytest -m "$(LARGE)"

HOSTS ?= 2
test-hosts: .venv/test | prerequisites ## As root: run the tests of the interface on hosts made of namespaces; HOSTS=4 for four.
	POLYMPI_TEST_HOSTS=$(HOSTS) $(BIN)/pytest -m "mpi and not large and not one_host" --numprocesses 2 --dist loadfile tests/interface

prerequisites: ## Say all that is missing on this machine, before anything is installed.
	@sh prerequisites.sh $(PYTHON)

stacks: .venv/test ## Install the MPI libraries of the tests, which the tests would do themselves.
	PYTHONPATH=tests $(BIN)/python tests/prepare.py

catalogue: .venv/lab ## Write anew what is made of src/polympi/lab/catalogue.toml, after a change there.
	$(BIN)/python bindings/harness/generate.py

core: .venv/test ## Compile the core of `import polympi` in place again, after a change in src/polympi/native.
	$(CORES)

COUNTED = $(CURDIR)/.cache/coverage/core
CIRCLE ?= first
UNDER_SANITIZERS = POLYMPI_TEST_COVERAGE=$(COUNTED) POLYMPI_TEST_SANITIZE=1
sanitize: .venv/test ## Run tests of the core under AddressSanitizer and UndefinedBehaviorSanitizer, and count the lines they reach; CIRCLE=second for each on the other MPI library.
	rm -rf $(COUNTED)
	$(UNDER_SANITIZERS) $(BIN)/pytest --circle $(CIRCLE) -m sanitize --numprocesses $(WORKERS) tests/interface
	$(UNDER_SANITIZERS) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" $(BIN)/pytest tests/native
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

clean: ## Remove the environment, the stacks in it and the caches; results stay.
	rm -rf .venv .cache build .mypy_cache .ruff_cache .pytest_cache .hypothesis

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
