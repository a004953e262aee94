# What no commit has to wait for, each with what it needs from Debian.

DEPS_LINT := $(DEPS_BUILD) clang-tidy cppcheck clang-format
DEPS_FUZZ := $(DEPS_BUILD) clang libclang-rt-dev
DEPS_MEMCHECK := $(DEPS_TEST) valgrind

FUZZ_SRC := $(sort $(wildcard tests/fuzz/*.c))

.PHONY: bare-test lint fuzz fuzz-build fuzz-targets mutants crash soak memcheck deps-memcheck deps-lint deps-fuzz
.SECONDARY: $(patsubst %.c,$(BUILD)/%.o,$(FUZZ_SRC))

## lint: clang-tidy and cppcheck, and which room includes which
lint: deps-lint
	sh tests/scripts/rooms.sh
	cppcheck --quiet --std=c11 --enable=warning,portability,performance --inline-suppr \
	    --error-exitcode=1 -I. --suppress=missingIncludeSystem core daemon
	clang-tidy --quiet $(CORE_SRC) $(DAEMON_SRC) $(CTL_SRC) daemon/main.c -- -std=c17 \
	    -D_GNU_SOURCE -DHRW_VERSION='"$(VERSION)"' -I. $(PKG_CFLAGS)

# Seconds for each fuzz target; TARGETS: some of them.
SECONDS ?= 20
TARGETS ?=

## fuzz: every parser under libFuzzer, SECONDS=20 each (TARGETS="json change": some)
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory fuzz-build
	sh tests/fuzz/run.sh build/fuzz $(SECONDS) $(TARGETS)

fuzz-build:
	@$(MAKE) --no-print-directory CC=clang BUILD=build/fuzz \
	    CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	    SAN='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all' fuzz-targets

fuzz-targets: $(patsubst %.c,$(BUILD)/%,$(FUZZ_SRC))

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PKG_LIBS)

# Some of the planted bugs, by name.
MUTANTS ?=

## mutants: plant bugs, one at a time, and demand that a test finds each
mutants: deps-test
	sh tests/mutants/run.sh $(MUTANTS)

# Which of README's commands a bare Debian is given.
BARE ?= run

## bare-test: README's `make run` in a bare Debian, as root without sudo; BARE=test: `make test`
bare-test:
	sh tests/chroot/bare.sh $(BUILD) $(BARE)

# How often a daemon is killed.
TIMES ?= 300
# Where files are opened a hundred thousand times: a disk would make hours of it.
MEMORY ?= $(shell test -w /dev/shm && echo /dev/shm || echo /tmp)

## crash: kill a daemon under load, TIMES=300, and damage its files at every byte
crash: $(BUILD)/tests/unit-tests $(BUILD)/tests/integration-tests all
	HRWD=$(BUILD)/hrwd HRW_TIMES=$(TIMES) HRW_SUITES=crash,faults $(BUILD)/tests/integration-tests
	TMPDIR=$(MEMORY) HRW_EVERY_BYTE=1 HRW_SUITES=store,keyset $(BUILD)/tests/unit-tests

# How long a daemon is kept under load.
MINUTES ?= 10
# Seconds of one run of talk: Check cannot tell how long a test took that took longer.
SLICE := 1500

## soak: everything at once for MINUTES=10, memory and descriptors must be flat; then
## as long talk that is half-done or malformed
soak: $(BUILD)/hrwd $(BUILD)/tests/soak/soak $(BUILD)/tests/integration-tests
	seconds=$$(awk 'BEGIN { print 60 * $(MINUTES) }'); \
	$(BUILD)/tests/soak/soak $(BUILD)/hrwd $$seconds || exit 1; \
	while [ $$seconds -gt 0 ]; do \
	    slice=$$((seconds < $(SLICE) ? seconds : $(SLICE))); \
	    HRWD=$(BUILD)/hrwd HRW_SUITES=babble HRW_BABBLE_SECONDS=$$slice HRW_SEED=$$(date +%s) \
	        $(BUILD)/tests/integration-tests || exit 1; \
	    seconds=$$((seconds - slice)); \
	done

$(BUILD)/tests/soak/soak: $(BUILD)/tests/soak/soak.o $(BUILD)/tests/soak/clients.o $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# Suites under valgrind. Those that count by the million would take hours, and where
# processes are killed by the clock, they are killed before they have begun.
SLOW := every_placement keyset ln_laws placement_laws plan_laws published_figures settled_laws \
        states_vectors store zones_laws
comma := ,
blank := $() $()
suites = $(subst $(blank),$(comma),$(sort $(1)))
UNIT_SUITES ?= $(call suites,$(filter-out $(SLOW),$(shell sed -n 's/^SUITE(\([a-z_]*\)).*/\1/p' $(UNIT_SRC))))
DAEMON_SUITES ?= reads

## memcheck: unit tests and a few with the daemon under valgrind
memcheck: deps-memcheck
	@$(MAKE) --no-print-directory all $(BUILD)/tests/unit-tests $(BUILD)/tests/integration-tests
	sh tests/memcheck.sh $(BUILD) $(UNIT_SUITES) $(DAEMON_SUITES)

deps-memcheck:
	@sh tests/deps.sh $(DEPS_MEMCHECK)

deps-lint:
	@sh tests/deps.sh $(DEPS_LINT)

deps-fuzz:
	@sh tests/deps.sh $(DEPS_FUZZ)
