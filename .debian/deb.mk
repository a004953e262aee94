# The Debian package: the source tree is copied to build/deb, where Debian's tools
# find their files under the name that they expect.

DEB       := $(BUILD)/deb
DEB_TREE  := $(DEB)/hrwd-$(VERSION)
DEPS_DEB  := $(DEPS_BUILD) debhelper dpkg-dev lintian
comma     := ,
empty     :=

.PHONY: deb deb-test

## deb: build the Debian packages into build/deb, and have lintian judge them
deb:
	@sh tests/deps.sh $(DEPS_DEB)
	rm -rf $(DEB)
	mkdir -p $(DEB_TREE)
	git ls-files -z | grep -zv '^\.' | xargs -0 cp --parents -t $(DEB_TREE)
	cp -r .debian $(DEB_TREE)/debian
	rm $(DEB_TREE)/debian/deb.mk
	sed -i 's/pkg-config,$$/pkg-config$(patsubst %,$(comma) %,$(filter %-dev,$(DEPS_BUILD)))/' \
	    $(DEB_TREE)/debian/control
	cp systemd/hrwd.sysusers $(DEB_TREE)/debian
	sed -n 's/^\t\(hrw_[a-z0-9_]*\);$$/ \1@HRW_$(ABI) $(VERSION)/p' core/libhrw.map | \
	    sed '1i libhrw.so.$(ABI) libhrw0 #MINVER#\n HRW_$(ABI)@HRW_$(ABI) $(VERSION)' \
	    >$(DEB_TREE)/debian/libhrw0.symbols
	cd $(DEB_TREE) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b
	lintian --fail-on error $(DEB)/*.changes

## deb-test: install the packages in a chroot, run hrwd there, and purge them (root)
deb-test: deb
	sh tests/chroot/deb.sh $(BUILD)
