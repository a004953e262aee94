# What `make install` puts where: the programs, libhrw, pages, completion, units.

BINDIR      ?= $(PREFIX)/bin
LIBDIR      ?= $(PREFIX)/lib
INCLUDEDIR  ?= $(PREFIX)/include
DATADIR     ?= $(PREFIX)/share
ZSHDIR      ?= $(DATADIR)/zsh/site-functions
DOCDIR      ?= $(DATADIR)/doc/hrwd
SYSCONFDIR  ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
UNITDIR     ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d

# libhrw: one header made of the public ones, in the order in which they build on
# one another; the number of its ABI is that of the soname and of core/libhrw.map.
OBJCOPY    ?= objcopy
ABI        := 0
PUBLIC     := $(addprefix core/,bytes.h error.h placement.h membership.h keytype.h zones.h \
              settled.h plan.h leftover.h tally.h estimate.h)
LIB_PKGS   := libsodium libxxhash libb2 libmd zlib
PIC_OBJ    := $(patsubst %.c,$(BUILD)/pic/%.o,$(CORE_SRC))
LIB_FILES  := $(addprefix $(BUILD)/lib/,libhrw.so.$(VERSION) libhrw.a hrw.h)

DAEMON_TEXTS := $(addprefix $(BUILD)/manual/,hrwd.8 hrwd.json.5 hrwd.bash hrwd.zsh hrwd.fish)
CTL_TEXTS  := $(addprefix $(BUILD)/manual/hrwctl.,man bash zsh fish)
UNITS      := $(BUILD)/placed/hrwd.service systemd/hrwd-lookup.socket systemd/hrwd-admin.socket

.PHONY: install installed uninstall

# All that is installed beside the programs.
installed: $(LIB_FILES) $(DAEMON_TEXTS) $(CTL_TEXTS)

$(BUILD)/pic/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -fPIC -fno-semantic-interposition -MMD -MP -c -o $@ $<

-include $(PIC_OBJ:.o=.d)

$(BUILD)/lib/libhrw.so.$(VERSION): $(PIC_OBJ) core/libhrw.map
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(LDFLAGS) -shared -Wl,-soname,libhrw.so.$(ABI) -Wl,--version-script,core/libhrw.map \
	    -Wl,-z,defs -o $@ $(PIC_OBJ) $(shell pkg-config --libs $(LIB_PKGS)) -lm
	@ln -sf libhrw.so.$(VERSION) $(@D)/libhrw.so.$(ABI)
	@ln -sf libhrw.so.$(ABI) $(@D)/libhrw.so

# One object in which only the public names are seen, as in the shared library.
$(BUILD)/lib/libhrw.a: $(PIC_OBJ) core/libhrw.map
	@mkdir -p $(@D)
	@sed -n 's/^\t\(hrw_[a-z0-9_]*\);$$/\1/p' core/libhrw.map >$(BUILD)/lib/public
	$(call say,ld)$(LD) -r -o $(BUILD)/lib/hrw.o $(PIC_OBJ)
	@$(OBJCOPY) --keep-global-symbols=$(BUILD)/lib/public $(BUILD)/lib/hrw.o
	@rm -f $@
	$(call say,ar)$(AR) qcs $@ $(BUILD)/lib/hrw.o

$(BUILD)/lib/hrw.h: $(PUBLIC) systemd/install.mk
	@mkdir -p $(@D)
	@{ printf '/* hrw.h - libhrw %s: which nodes hold a key, in process. */\n' '$(VERSION)'; \
	   printf '#ifndef HRW_H\n#define HRW_H\n#ifdef __cplusplus\nextern "C" {\n#endif\n\n'; \
	   grep -hv '^#include "core/' $(PUBLIC); \
	   printf '\n#ifdef __cplusplus\n}\n#endif\n#endif\n'; } >$@

$(BUILD)/hrwd-manual: $(call obj,$(wildcard daemon/manual/*.c)) $(BUILD)/libhrwd.a $(BUILD)/libhrw.a
	$(call say,link)$(CC) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(DAEMON_TEXTS): $(BUILD)/hrwd-manual
	@mkdir -p $(@D)
	$(call say,make)$(BUILD)/hrwd-manual $(@F) >$@

$(CTL_TEXTS): $(BUILD)/hrwctl
	@mkdir -p $(@D)
	$(call say,make)$(BUILD)/hrwctl --print $(subst .,,$(suffix $@)) >$@

# What holds paths is written at each install.
.PHONY: $(BUILD)/placed
$(BUILD)/placed:
	@mkdir -p $@
	@sed -e 's|@BINDIR@|$(BINDIR)|' -e 's|@SYSCONFDIR@|$(SYSCONFDIR)|' \
	    systemd/hrwd.service.in >$@/hrwd.service
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
	    'Name: hrw' 'Description: which nodes of a fleet hold a key' 'Version: $(VERSION)' \
	    'Requires.private: $(LIB_PKGS)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lhrw' 'Libs.private: -lm' >$@/hrw.pc

## install, uninstall: to PREFIX (/usr/local), below DESTDIR
install: all installed $(BUILD)/placed
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(INCLUDEDIR) \
	    $(addprefix $(DATADIR)/,man/man1 man/man5 man/man8 bash-completion/completions \
	    fish/vendor_completions.d hrwd) $(ZSHDIR) $(DOCDIR)/examples $(SYSCONFDIR)/hrwd \
	    $(UNITDIR) $(SYSUSERSDIR))
	install -m 755 $(BUILD)/hrwd $(BUILD)/hrwctl $(DESTDIR)$(BINDIR)
	install -m 755 $(BUILD)/lib/libhrw.so.$(VERSION) $(DESTDIR)$(LIBDIR)
	cp -P $(BUILD)/lib/libhrw.so.$(ABI) $(BUILD)/lib/libhrw.so $(DESTDIR)$(LIBDIR)
	install -m 644 $(BUILD)/lib/libhrw.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(BUILD)/lib/hrw.h $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $(BUILD)/placed/hrw.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(BUILD)/manual/hrwctl.man $(DESTDIR)$(DATADIR)/man/man1/hrwctl.1
	install -m 644 $(BUILD)/manual/hrwd.json.5 $(DESTDIR)$(DATADIR)/man/man5
	install -m 644 $(BUILD)/manual/hrwd.8 $(DESTDIR)$(DATADIR)/man/man8
	set -e; for name in hrwd hrwctl; do \
	    install -m 644 $(BUILD)/manual/$$name.bash \
	        $(DESTDIR)$(DATADIR)/bash-completion/completions/$$name; \
	    install -m 644 $(BUILD)/manual/$$name.zsh $(DESTDIR)$(ZSHDIR)/_$$name; \
	    install -m 644 $(BUILD)/manual/$$name.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d; \
	done
	install -m 644 conf/hrwd.schema.json $(DESTDIR)$(DATADIR)/hrwd
	install -m 644 README.md $(DESTDIR)$(DOCDIR)
	install -m 644 conf/hrwd.json conf/hrwd.rules.yml conf/grafana.json \
	    $(wildcard conf/examples/*) tests/example/lookup.c tests/example/follow.c \
	    $(DESTDIR)$(DOCDIR)/examples
	install -m 644 $(UNITS) $(DESTDIR)$(UNITDIR)
	install -m 644 systemd/hrwd.sysusers $(DESTDIR)$(SYSUSERSDIR)/hrwd.conf
	[ -e $(DESTDIR)$(SYSCONFDIR)/hrwd/hrwd.json ] || \
	    install -m 644 systemd/hrwd.json $(DESTDIR)$(SYSCONFDIR)/hrwd

# A configuration that was edited stays.
uninstall:
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/hrwd $(BINDIR)/hrwctl \
	    $(LIBDIR)/libhrw.so.$(VERSION) $(LIBDIR)/libhrw.so.$(ABI) $(LIBDIR)/libhrw.so \
	    $(LIBDIR)/libhrw.a $(INCLUDEDIR)/hrw.h $(LIBDIR)/pkgconfig/hrw.pc \
	    $(addprefix $(DATADIR)/,man/man1/hrwctl.1 man/man5/hrwd.json.5 man/man8/hrwd.8 \
	    $(foreach name,hrwd hrwctl,bash-completion/completions/$(name) \
	    fish/vendor_completions.d/$(name).fish)) $(ZSHDIR)/_hrwd $(ZSHDIR)/_hrwctl \
	    $(SYSUSERSDIR)/hrwd.conf $(addprefix $(UNITDIR)/,$(notdir $(UNITS))))
	rm -rf $(DESTDIR)$(DATADIR)/hrwd $(DESTDIR)$(DOCDIR)
	! cmp -s systemd/hrwd.json $(DESTDIR)$(SYSCONFDIR)/hrwd/hrwd.json || \
	    rm -f $(DESTDIR)$(SYSCONFDIR)/hrwd/hrwd.json
	[ ! -d $(DESTDIR)$(SYSCONFDIR)/hrwd ] || \
	    rmdir --ignore-fail-on-non-empty $(DESTDIR)$(SYSCONFDIR)/hrwd
