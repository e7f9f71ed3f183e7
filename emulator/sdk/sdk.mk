# SPDX-License-Identifier: Apache-2.0
#
# make sdk PREFIX=dir [SIDE=host|dpu] [SANITIZE=1|thread]
#
# Installs the emulator as a DOCA SDK: headers, shared libraries and pkg-config files under PREFIX. A C program
# written for DOCA is built with
#
#   PKG_CONFIG_PATH=dir/lib/pkgconfig cc prog.c $(pkg-config --cflags --libs doca-dma doca-argp doca-common)
#
# and runs with LD_LIBRARY_PATH=dir/lib.
#
# The API is that of DOCA 3.0, with what is known of 3.1 and 3.2 (headers/3.1, headers/3.2, later/).
#
# SIDE (default dpu) is the machine that the headers are for: it defines DOCA_ARCH_HOST or DOCA_ARCH_DPU, by which
# DOCA programs select code at compile time.
# SANITIZE=1 builds with AddressSanitizer and UndefinedBehaviorSanitizer, SANITIZE=thread with ThreadSanitizer. Programs
# need -fsanitize too, which the pkg-config files supply.
#
# Each pkg-config name has one library, as in DOCA. The others call internal functions of libdoca_common: those that
# are marked EMU_API, all named emu_*, which common.map exports. These are not a stable interface: use libraries of
# one build together.
#
# Code for the DPA is compiled by PREFIX/tools/dpacc, for this machine's processor; NVIDIA's samples look for it below
# /opt/mellanox/doca, where a link to PREFIX does. Its libraries for the device are archives in PREFIX/lib. libflexio has
# the few functions that those samples call.
#
# Needs Go, a C compiler, pkg-config and json-c (libdoca_argp reads JSON with it).

sdk_dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
sdk_emulator := $(patsubst %/,%,$(dir $(sdk_dir)))
sdk_headers := $(patsubst ./%,%,$(dir $(sdk_emulator))headers/3.0)

GO ?= go
SIDE ?= dpu
SANITIZE ?=

# A folder with a file doca-<library>.pc.in is the source of that library. The other folders with a Go file are part of
# libdoca_common.
sdk_folder_of = $(notdir $(patsubst %/,%,$(dir $1)))
sdk_pc := $(wildcard $(sdk_emulator)/*/doca-*.pc.in)
sdk_libs := $(patsubst doca-%.pc.in,%,$(notdir $(sdk_pc)))
$(foreach pc,$(sdk_pc),$(eval sdk_folders_$(patsubst doca-%.pc.in,%,$(notdir $(pc))) := $(call sdk_folder_of,$(pc))))
sdk_folders_common += $(filter-out $(call sdk_folder_of,$(sdk_pc)),\
	$(sort $(call sdk_folder_of,$(wildcard $(sdk_emulator)/*/*.go)))) sdk/later
sdk_sources = $(wildcard $(patsubst %,$(sdk_emulator)/%/*.c,$(sdk_folders_$1)))

sdk_build = build/sdk-$(SIDE)$(if $(SANITIZE),-sanitize$(filter-out 1,$(SANITIZE)))
# The headers that are installed: those of the newest release.
sdk_include = $(sdk_build)/include
sdk_version = $(shell sed -n 's/^\#define DOCA_VERSION_STRING "\(.*\)"$$/\1/p' $(sdk_headers)/doca_version.h)
sdk_sanitize = $(if $(SANITIZE),-fsanitize=$(if $(filter thread,$(SANITIZE)),thread,address$(comma)undefined))
comma := ,

sdk_cflags = -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden -fPIC -pthread \
	-DDOCA_ALLOW_EXPERIMENTAL_API -I$(sdk_headers) -I$(sdk_emulator) \
	$(if $(SANITIZE),-g -fno-omit-frame-pointer $(sdk_sanitize) \
	$(if $(filter thread,$(SANITIZE)),,-fno-sanitize-recover=undefined)) $(CFLAGS)
# The libraries find each other even if the prefix is moved.
sdk_ldflags = -shared -pthread -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' $(sdk_sanitize) $(LDFLAGS)

sdk_objects = $(patsubst $(sdk_emulator)/%.c,$(sdk_build)/%.o,$(call sdk_sources,$1))
# doca-erasure-coding is in libdoca_erasure_coding.
sdk_so = $(sdk_build)/libdoca_$(subst -,_,$1).so.2

# The libraries for the device: RDMA and Comch are in that for communication.
sdk_device := $(wildcard $(sdk_emulator)/dpacore/device/*.c)
sdk_device_comm := $(filter %_rdma.c %_comch_msgq.c,$(sdk_device))
sdk_device_objects = $(patsubst $(sdk_emulator)/%.c,$(sdk_build)/%.o,$1)
sdk_archives = $(patsubst %,$(sdk_build)/libdoca_dpa_dev%.a,_comm _verbs) $(sdk_build)/libdoca_dpa_dev.a

sdk_tools := dpacc dpa-app-attributes2blob

.PHONY: sdk sdk-tools sdk-check-args sdk-check-json-c

sdk: $(foreach lib,$(sdk_libs),$(call sdk_so,$(lib))) $(sdk_archives) $(sdk_build)/libflexio.so sdk-tools | sdk-check-args
	@set -e; p='$(abspath $(PREFIX))'; \
	mkdir -p "$$p/include" "$$p/lib/pkgconfig"; \
	install -m 644 $(sdk_include)/*.h "$$p/include"; \
	sed 's/@ARCH@/$(if $(filter host,$(SIDE)),HOST,DPU)/' $(sdk_dir)/doca_build_config.h.in \
		> "$$p/include/doca_build_config.h"; \
	for lib in $(sdk_libs); do \
		so=libdoca_$$(echo $$lib | tr - _).so; \
		install -m 755 $(sdk_build)/$$so.2 "$$p/lib"; \
		ln -sf $$so.2 "$$p/lib/$$so"; \
		sed -e 's/@VERSION@/$(sdk_version)/' -e 's/ @SANITIZE@/$(if $(SANITIZE), $(sdk_sanitize))/' \
			$(sdk_emulator)/*/doca-$$lib.pc.in > "$$p/lib/pkgconfig/doca-$$lib.pc"; \
	done; \
	mkdir -p "$$p/tools" "$$p/lib/dpacc" "$$p/include/libflexio"; \
	install -m 755 $(patsubst %,$(sdk_build)/tools/%,$(sdk_tools)) "$$p/tools"; \
	install -m 644 $(sdk_archives) "$$p/lib"; \
	install -m 644 $(sdk_emulator)/dpacore/emu_dpa_app.h "$$p/lib/dpacc"; \
	install -m 755 $(sdk_build)/libflexio.so "$$p/lib"; \
	install -m 644 $(sdk_headers)/../dpa/dpaintrin.h "$$p/include"; \
	install -m 644 $(sdk_dir)/flexio/libflexio/*.h "$$p/include/libflexio"; \
	sed -e 's/ @SANITIZE@/$(if $(SANITIZE), $(sdk_sanitize))/' $(sdk_dir)/flexio/libflexio.pc.in \
		> "$$p/lib/pkgconfig/libflexio.pc"; \
	echo "DOCA $(sdk_version) emulator SDK ($(SIDE)$(if $(SANITIZE), sanitized)) installed in $$p;" \
		"build with PKG_CONFIG_PATH=$$p/lib/pkgconfig, run with LD_LIBRARY_PATH=$$p/lib"

sdk-check-args:
	@test -n '$(PREFIX)' || { echo "make sdk: PREFIX is missing: make sdk PREFIX=dir [SIDE=host|dpu]" >&2; exit 2; }
	@test '$(SIDE)' = host || test '$(SIDE)' = dpu || \
		{ echo "make sdk: SIDE is '$(SIDE)', must be host or dpu" >&2; exit 2; }

sdk-check-json-c: | sdk-check-args
	@pkg-config --exists json-c || { echo "make sdk: libdoca_argp needs pkg-config and json-c:" \
		"install libjson-c-dev and pkg-config (Debian, Ubuntu)" \
		"or json-c-devel and pkgconf (Fedora, RHEL)" >&2; exit 1; }

$(sdk_include)/.made: $(wildcard $(sdk_headers)/../*/*.h $(sdk_dir)/later/*.h) | sdk-check-args
	@cd $(sdk_emulator)/.. && $(GO) run ./emulator/sdk/headers headers $(abspath $(@D)) emulator/sdk/later
	@touch $@

$(sdk_build)/%.o: $(sdk_emulator)/%.c $(sdk_dir)/sdk.mk $(sdk_include)/.made | sdk-check-args
	@mkdir -p $(@D)
	@$(CC) $(sdk_cflags) -MMD -MP -c $< -o $@

$(call sdk_objects,argp): sdk_cflags += $(shell pkg-config --cflags json-c 2>/dev/null)
$(call sdk_objects,argp): | sdk-check-json-c

# It stays when a plugin that uses it is closed: the system may still call its handlers of signals.
$(call sdk_so,common): $(call sdk_objects,common) $(sdk_dir)/common.map
	@$(CC) $(sdk_ldflags) -Wl,-z,nodelete -Wl,-soname,$(@F) -Wl,--version-script=$(sdk_dir)/common.map \
		$(filter %.o,$^) -o $@

define sdk_link
$(call sdk_so,$1): $(call sdk_objects,$1) $(call sdk_so,common) $(sdk_dir)/library.map
	@$$(CC) $$(sdk_ldflags) -Wl,-soname,$$(@F) -Wl,--version-script=$(sdk_dir)/library.map \
		$$(filter %.o %.so.2,$$^) -o $$@
endef
$(foreach lib,$(filter-out common argp,$(sdk_libs)),$(eval $(call sdk_link,$(lib))))

$(call sdk_so,argp): $(call sdk_objects,argp) $(call sdk_so,common) $(sdk_dir)/library.map | sdk-check-json-c
	@$(CC) $(sdk_ldflags) -Wl,-soname,$(@F) -Wl,--version-script=$(sdk_dir)/library.map \
		$(filter %.o %.so.2,$^) $$(pkg-config --libs json-c) -o $@

# The go command knows what to make again.
sdk-tools: | sdk-check-args
	@mkdir -p $(sdk_build)/tools
	@cd $(sdk_emulator)/.. && CGO_ENABLED=0 $(GO) build -o $(abspath $(sdk_build))/tools/ $(patsubst %,./gen/%,$(sdk_tools))

$(call sdk_device_objects,$(sdk_device)): sdk_cflags += -I$(sdk_emulator)/dpacore

$(sdk_build)/libdoca_dpa_dev.a: $(call sdk_device_objects,$(filter-out $(sdk_device_comm),$(sdk_device)))
$(sdk_build)/libdoca_dpa_dev_comm.a: $(call sdk_device_objects,$(sdk_device_comm))
# DOCA 3.0 has none of its functions; programs for later releases link it all the same.
$(sdk_build)/libdoca_dpa_dev_verbs.a:
$(sdk_archives): | sdk-check-args
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcsD $@ $^

$(sdk_build)/libflexio.so: $(sdk_dir)/flexio/flexio.c $(sdk_include)/.made $(wildcard $(sdk_dir)/flexio/libflexio/*.h) | sdk-check-args
	@mkdir -p $(@D)
	@$(CC) $(sdk_cflags) -I$(sdk_dir)/flexio $(sdk_ldflags) -Wl,-soname,$(@F) $< -o $@

-include $(patsubst %.o,%.d,$(call sdk_device_objects,$(sdk_device))) $(foreach lib,$(sdk_libs),$(patsubst %.o,%.d,$(call sdk_objects,$(lib))))
