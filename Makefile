# hrwd - `make run` starts the daemon on an example, `make test` runs the tests;
# both first install what is missing. `make help` lists the rest.

CC      ?= cc
BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0

# What each library is for stands in README.md; the names are Debian 12's.
DEPS_BUILD := gcc make pkg-config libc6-dev libuv1-dev libmicrohttpd-dev libgnutls28-dev \
              libcjson-dev libsqlite3-dev libsodium-dev libxxhash-dev libb2-dev libmd-dev zlib1g-dev \
              libcurl4-openssl-dev libsystemd-dev
# The example's photos are sent by curl.
DEPS_RUN   := $(DEPS_BUILD) curl
DEPS_TEST  := $(DEPS_RUN) check libmpfr-dev libmemcached-dev strace python3-jsonschema
# Real programs that hrwd is held against; what a machine cannot have is not tried.
# The quick ones, to install and to run, belong to every test run.
DEPS_QUICK   := nginx-light haproxy redis-server jq prometheus zsh fish
DEPS_INTEROP := nutcracker squid varnish ceph-base
# What `make bench` measures beside.
DEPS_BENCH := $(DEPS_TEST) nginx-light wrk nodejs sqlite3
QUICK        := nginx,haproxy,libmemcached,redis,sidecar

# The service manager's protocol, where there is one.
SYSTEMD   := $(shell pkg-config --exists libsystemd && echo libsystemd)
PKGS      := libuv libmicrohttpd gnutls libcjson sqlite3 libsodium libxxhash libb2 libmd zlib $(SYSTEMD)
TEST_PKGS := check libcurl mpfr

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wformat=2 -Wundef -Wvla -Wwrite-strings -Wpointer-arith -Werror
# -ffp-contract=off: a fused multiply-add rounds once where two operations round
# twice, and placements must agree to the last bit on every CPU.
CFLAGS   ?= -O2 -g
override CFLAGS += -std=c17 -D_GNU_SOURCE -DHRW_VERSION='"$(VERSION)"' -I. -pthread \
                   -ffp-contract=off -fno-strict-aliasing $(WARNINGS) $(SAN) \
                   $(if $(SYSTEMD),-DHRWD_SYSTEMD)
LDFLAGS  += -pthread $(SAN)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -ldl
CTL_LIBS   = $(shell pkg-config --libs libcurl 2>/dev/null)
TEST_LIBS  = $(shell pkg-config --libs $(TEST_PKGS) 2>/dev/null) -lgmp
INTEROP_LIBS = $(shell pkg-config --libs libmemcached 2>/dev/null)

CORE_SRC   := $(sort $(wildcard core/*.c core/hash/*.c core/place/*.c))
ROOMS      := base config http members metrics routes store
DAEMON_SRC := $(sort $(filter-out daemon/main.c,$(wildcard daemon/*.c $(ROOMS:%=daemon/%/*.c))))
CTL_SRC    := $(sort $(filter-out daemon/ctl/main.c,$(wildcard daemon/ctl/*.c)))
DSL_SRC    := $(sort $(wildcard tests/dsl/*.c))
UNIT_SRC   := $(sort $(wildcard tests/unit/*.c tests/property/*.c tests/vectors/*.c))
INT_SRC    := $(sort $(wildcard tests/integration/*.c))
BENCH_SRC  := $(sort $(wildcard tests/bench/core/*.c))
IOP_SRC    := $(sort $(wildcard tests/interop/*.c))

# Calls that tests/dsl/allocations.c counts.
comma := ,
WRAP  := $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc aligned_alloc strdup strndup)

# One short line for each file that is made; V=1 shows the commands.
V  ?=
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))

.PHONY: all run test check unit integration interop bench asan tsan format clean help deps deps-test deps-bench
.DELETE_ON_ERROR:

all: $(BUILD)/hrwd $(BUILD)/hrwctl

$(BUILD)/libhrw.a: $(call obj,$(CORE_SRC))
	@rm -f $@
	$(call say,ar)$(AR) qcs $@ $^

$(BUILD)/libhrwd.a: $(call obj,$(DAEMON_SRC))
	@rm -f $@
	$(call say,ar)$(AR) qcs $@ $^

$(BUILD)/libhrwctl.a: $(call obj,$(CTL_SRC))
	@rm -f $@
	$(call say,ar)$(AR) qcs $@ $^

# From objects, not from the archive: so two functions of one name are found.
$(BUILD)/hrwd: $(BUILD)/daemon/main.o $(call obj,$(DAEMON_SRC)) $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# Of the daemon it takes what plans without one; --as-needed leaves out the rest.
$(BUILD)/hrwctl: $(BUILD)/daemon/ctl/main.o $(call obj,$(CTL_SRC)) $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(PKG_LIBS) $(CTL_LIBS)

$(BUILD)/tests/unit-tests: $(call obj,$(UNIT_SRC) $(DSL_SRC)) $(BUILD)/libhrwctl.a $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) $(WRAP) -o $@ $^ $(PKG_LIBS) $(TEST_LIBS)

$(BUILD)/tests/integration-tests: $(call obj,$(INT_SRC) $(DSL_SRC)) $(BUILD)/libhrwd.a $(BUILD)/libhrw.a | $(BUILD)/tests/disk.so $(BUILD)/tests/follow
	$(call say,link)$(CC) $(LDFLAGS) $(WRAP) -o $@ $^ $(PKG_LIBS) $(TEST_LIBS)

$(BUILD)/tests/interop-tests: $(call obj,$(IOP_SRC) $(DSL_SRC)) $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) $(WRAP) -o $@ $^ $(PKG_LIBS) $(TEST_LIBS) $(INTEROP_LIBS)

$(BUILD)/tests/bench/core-bench: $(call obj,$(BENCH_SRC)) $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lmemcached

$(BUILD)/tests/bench/bare: $(BUILD)/tests/bench/bare.o
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# As a program outside of this tree is built.
$(BUILD)/tests/follow: tests/example/follow.c $(BUILD)/lib/hrw.h $(BUILD)/libhrw.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -I$(BUILD)/lib -o $@ $< $(BUILD)/libhrw.a \
	    $(shell pkg-config --cflags --libs libcjson libcurl) $(PKG_LIBS)

# Preloaded into daemons, whatever those are built with: no sanitizer of its own.
$(BUILD)/tests/disk.so: tests/fault/disk.c tests/dsl/fault.h
	@mkdir -p $(@D)
	$(call say,link)$(CC) -O1 -std=gnu17 -D_GNU_SOURCE -I. $(WARNINGS) -shared -fPIC -o $@ $< -ldl

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

-include $(wildcard $(BUILD)/core/*.d $(BUILD)/core/*/*.d $(BUILD)/daemon/*.d \
           $(BUILD)/daemon/*/*.d $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d)

include systemd/install.mk $(wildcard docker/image.mk .debian/deb.mk)

## run: install what is missing, build, and run the daemon on conf/hrwd.json
run: deps
	@$(MAKE) --no-print-directory all
	sh conf/run-example.sh $(BUILD)

## test: install what is missing, build, and run every test, the fuzzers for a while too
test: deps-test
	@$(MAKE) --no-print-directory deps-fuzz
	@$(MAKE) --no-print-directory check MORE_TESTS=tests/fuzz/short.sh

## check: build and run every test, installing nothing
check: all installed $(BUILD)/tests/unit-tests $(BUILD)/tests/integration-tests $(BUILD)/tests/interop-tests
	sh tests/run.sh $(BUILD) unit-tests integration-tests interop-tests:$(QUICK) \
	    $(wildcard tests/scripts/*.sh) $(MORE_TESTS)

## unit: only the tests that need no daemon
unit: $(BUILD)/tests/unit-tests
	$(BUILD)/tests/unit-tests

## integration: only the tests that drive the real daemon
integration: all $(BUILD)/tests/integration-tests
	HRWD=$(BUILD)/hrwd $(BUILD)/tests/integration-tests

## interop: install the real programs that are missing, and compare their choices with hrwd's
interop: deps-test
	@sh tests/deps.sh --try $(DEPS_INTEROP)
	@$(MAKE) --no-print-directory all $(BUILD)/tests/interop-tests
	sh tests/run.sh $(BUILD) interop-tests

## bench: what lookups, plans and requests cost, beside their peers; CSV=FILE
##   writes how lookups grow with nodes and plans with keys instead
bench: deps-bench
	@$(MAKE) --no-print-directory all $(BUILD)/tests/bench/core-bench $(BUILD)/tests/bench/bare \
	    $(BUILD)/tests/bench/count $(BUILD)/tests/bench/placements
	sh tests/bench/run.sh $(BUILD) $(CSV)

$(BUILD)/tests/bench/count: $(BUILD)/tests/bench/count_bench.o $(BUILD)/tests/bench/core/measure.o $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/tests/bench/placements: $(BUILD)/tests/bench/placements_bench.o $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

## asan: every test under the address and undefined-behaviour sanitizers
asan:
	$(MAKE) BUILD=build/asan CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	    SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' check

## tsan: every test under the thread sanitizer
tsan:
	$(MAKE) BUILD=build/tsan CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	    SAN='-fsanitize=thread' check

## format: rewrite the sources in the house style
format:
	clang-format -i $$(git ls-files '*.c' '*.h')

## deps, deps-test, deps-bench: install the Debian packages that are missing
deps:
	@sh tests/deps.sh $(DEPS_RUN)

deps-test:
	@sh tests/deps.sh $(DEPS_TEST)
	@sh tests/deps.sh --try $(DEPS_QUICK)

deps-bench: deps-test
	@sh tests/deps.sh $(DEPS_BENCH)

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^## /  /p' $(filter-out %.d,$(MAKEFILE_LIST))

# What is run now and then: lint, fuzzers, planted bugs.
include tests/hard.mk
