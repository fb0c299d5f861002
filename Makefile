# SPDX-License-Identifier: MIT
# vkfd: the top delegates; every directory knows how it is built.

BUILD ?= $(CURDIR)/build
# The kernel to build for: the newest 6.1 here, which is also what qemu/vm boots
KDIR ?= $(shell ls -d /lib/modules/6.1.*/build 2>/dev/null | sort -V | tail -n 1)
KMOD_BUILD ?= $(BUILD)/kmod

export VKFD_BUILD := $(BUILD)
MAKEFLAGS += --no-print-directory
# make V=1 shows the commands
ifndef V
MAKEFLAGS += -s
endif

# A directory with a Makefile of its own
SUB = $(MAKE) -C $(1) BUILD=$(BUILD)/$(1) O=$(BUILD)/$(1)

# For what builds a lot and is called without -j; below another make, its jobs are shared
JOBS = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: all
all: modules libthunk engine ## modules, libraries and tools (default)

.PHONY: modules
# A root of qemu/root: build in it, for its own kernel
ifdef ROOT
modules:
	@qemu/root $(ROOT) >/dev/null
	@echo "build kmod in the root $(ROOT)"
	+@qemu/root --run $(ROOT) sh -c 'v=$$(ls /lib/modules | sort -V | tail -n 1) && \
		KDIR=/lib/modules/$$v/build OUT=$(BUILD)/kmod-$$v scripts/build-modules'
else
modules: isa-headers ## vkfd.ko and amdgpu.ko for KDIR, in build/kmod (ROOT=NAME: for that root's kernel)
	@echo "build kmod for $(KDIR)"
	+@KDIR="$(KDIR)" OUT="$(KMOD_BUILD)" STRICT=1 scripts/build-modules
endif

# Kernels of qemu/kernel
KERNELS := uml uml-kasan uml-fast debug kcsan preempt-none rt
.PHONY: $(KERNELS:%=modules-%)
modules-uml: ## vkfd.ko for User Mode Linux (-kasan: with memory checked, -fast: without checkers), in build/kmod-VERSION
modules-debug: ## vkfd.ko for the debug kernel, in build/kmod-VERSION (-kcsan, -rt, -preempt-none: for those)
$(KERNELS:%=modules-%): modules-%: isa-headers
	+@qemu/kernel $*
	@echo "build kmod for $*"
	+@d="$$(qemu/kernel --print $*)" && KDIR="$$d" ARCH=$(if $(filter uml%,$*),um,x86_64) \
		OUT="$(BUILD)/kmod-$$(cat $$d/.ready)" STRICT=1 scripts/build-modules

.PHONY: $(KERNELS:%=kernel-%)
$(KERNELS:%=kernel-%): kernel-%:
	+@qemu/kernel $*

# Every build wants them: one that begins several asks for them first
.PHONY: isa-headers
isa-headers:
	@$(MAKE) -C kmod/isa -f Makefile.gen

.PHONY: libthunk
libthunk: ## libhsakmt.so.1, libaql and the tools, in build/libthunk
	@echo "build libthunk"
	+@$(call SUB,libthunk)

# It and the tests on the host have the same interpreter and the same compiler
ENGINE = $(call SUB,engine) LIBISA=$(BUILD)/selftests/lib/libisa.a JIT_BUILD=$(BUILD)/selftests

.PHONY: engine
engine: ## vkfd-engine, which runs waves in user mode, in build/engine
	@echo "build engine"
	+@$(MAKE) -C selftests/isa BUILD=$(BUILD)/selftests lib
	+@$(ENGINE)

.PHONY: tests tests-host tests-guest
tests: all tests-host tests-guest ## the test programs, in build/selftests
# tests-host after the engine: both build libisa.a
tests-host: $(if $(BUILT),,libthunk engine)
	@echo "build selftests for the host"
	+@$(call SUB,selftests) host
tests-guest: $(if $(BUILT),,libthunk)
	@echo "build selftests for guests"
	+@$(call SUB,selftests) guest

.PHONY: deps
deps: ## install what is missing (apt)
	@scripts/install-deps

.PHONY: demo demo-program
demo: ## build, boot a guest, run kernels on the virtual GPU (BACKEND=amdgpu: by a render node; KERNEL=uml)
	@scripts/install-deps
	+@$(MAKE) isa-headers
	+@$(MAKE) $(JOBS) all $(if $(KERNEL),modules-$(KERNEL))
	+@$(MAKE) demo-program
	@scripts/demo $(if $(KERNEL),--kernel $(KERNEL)) $(BACKEND)

demo-program: $(if $(BUILT),,libthunk)
	+@$(call SUB,selftests) demo

# Steps run side by side; scripts/steps.mk says what needs what. Guests wait for half of their
# time: one step more than there are CPUs
SIDE_BY_SIDE := -j $$(($$(nproc) + 1))
CHECK_FAST := check-uml-kunit check-uml-guest-1 check-uml-guest-2 check-host lint-fast
CHECK := check-uml-kunit check-uml-guest-1 check-uml-guest-2 check-uml-engine check-host check-uml-peers \
	check-uml-bare lint-fast

.PHONY: check
check: ## before a push: check-fast, and more in User Mode Linux; CI has more still
	@scripts/install-deps
	@$(GATE) scripts/run-check $(SIDE_BY_SIDE) $(CHECK)

# What CI runs besides, and the rest of what there is
CHECK_CI := check-kasan-short check-vm check-harness check-host-more check-uml-jit check-uml-rdna \
	check-uml-amdgpu check-rocm-host-abi check-rocm-host-gfx906 check-rocm-trixie-abi \
	check-rocm-trixie-gfx90a check-rocm-sid-gfx942 check-uml-rocm-sid-gfx1100 check-vm-trixie check-uml-ring
# Of these, what other steps of check-all do, and more of it
CHECK_CI_ALONE := check-kasan-short check-host-more check-uml-rocm-sid-gfx1100
# With waves in user mode
CHECK_USER := check-debug-user check-race-user check-rocm-user
CHECK_REST := check-vm-rest check-vm-bare check-vm-trixie-rest check-debug check-rocm-host-gfx90a \
	check-rocm-trixie-gfx942 check-rocm-sid-gfx90a \
	check-kasan check-race-uml check-decode check-uml-rocm check-uml-rocm-sid check-debian-tests check-autopkgtest check-race $(CHECK_USER) check-kcsan check-preempt-none check-rt check-deb \
	check-dkms lint

.PHONY: check-debian-tests
check-debian-tests: $(if $(BUILT),,modules-uml-fast) ## some of Debian's tests of ROCm's libraries (docs/debian-tests.md)
	@scripts/debian-tests check

.PHONY: check-autopkgtest
check-autopkgtest: $(if $(BUILT),,modules-uml-fast) ## Debian's autopkgtest in a guest (docs/debian-tests.md)
	@scripts/autopkgtest --strict selftests/rocm/autopkgtest

.PHONY: check-all
check-all: ## all tests there are (hours; RESUME=1: without those that passed since the last change)
	@scripts/install-deps rocm
	@scripts/run-check $(CHECK) $(filter-out $(CHECK_CI_ALONE),$(CHECK_CI)) $(CHECK_REST)

print-%:
	@echo $($*)

.PHONY: check-fast
check-fast: ## before each commit: host tests, KUnit and guest tests in User Mode Linux, lint
	@scripts/install-deps
	@$(GATE) scripts/run-check $(SIDE_BY_SIDE) $(CHECK_FAST)

.PHONY: lint-fast
lint-fast: ## layers, file sizes, licences: seconds
	@scripts/lint --fast

.PHONY: lint
lint: ## lint-fast, then sparse, checkpatch, FPU use, -Werror build
	@KDIR="$(KDIR)" scripts/lint

.PHONY: check-host
check-host: $(if $(BUILT),,tests-host) ## unit tests on this machine
	@selftests/run-host --dir $(BUILD)/selftests/host

# All operands of what make check does a part of, and more inputs
.PHONY: check-host-more
check-host-more: $(if $(BUILT),,tests-host)
	@FUZZ_S=$(CI_FUZZ_S) FUZZ_SEED=$(GATE_SEED) \
		selftests/run-host --dir $(BUILD)/selftests/host \
		'isa_decode*' isa_jit isa_jit_remote 'isa_programs*' 'fuzz_*'

.PHONY: check-decode
check-decode: $(if $(BUILT),,tests-host) ## the decoder against LLVM's on ten million random words a target (a quarter of an hour; ISA_DECODE_TARGETS: some)
	@ISA_DECODE_WORDS=10000000 selftests/run-host --timeout 10800 --dir $(BUILD)/selftests/host 'isa_decode*'

# Steps come with all built: they set BUILT
.PHONY: check-vm check-vm-rest check-vm-bare
check-vm: $(if $(BUILT),,tests) ## tests in QEMU (ROOT=trixie: on Linux 6.12); check-vm-rest: those that only check-all runs there
	@scripts/check-vm $(if $(ROOT),--root $(ROOT)) guest
check-vm-rest: $(if $(BUILT),,tests)
	@scripts/check-vm $(if $(ROOT),--root $(ROOT)) rest
check-vm-bare: $(if $(BUILT),,tests) ## the same without the module: nothing may pass
	@scripts/check-vm $(if $(ROOT),--root $(ROOT)) bare

# Unmodified ROCm userland: of this machine (Debian 12), or of ROOT. In turn on
# each of ROCM_GPUS. THUNK=1: libhsakmt is ours.
ifdef ROOT
ROCM_GPUS ?= gfx90a gfx942
else
ROCM_GPUS ?= gfx90a gfx906
endif

.PHONY: rocm-tests
rocm-tests: ## HIP programs by the distribution's hipcc (ROOT=NAME: in that root)
	@selftests/rocm/build $(ROOT)

.PHONY: check-rocm
check-rocm: modules libthunk rocm-tests ## unmodified ROCm userland (ROOT=NAME, ROCM_GPUS, THUNK=1)
	@scripts/check-rocm $(if $(THUNK),--thunk) $(if $(ROOT),--root $(ROOT)) abi $(ROCM_GPUS)

CHECK_UML := kunit guest engine jit peers amdgpu bare rdna rocm rocm-sid rocm-sid-gfx1100 ring libdrm
# The guest tests in two guests, for two CPUs
CHECK_UML_HALVES := guest-1 guest-2
.PHONY: check-uml $(CHECK_UML:%=check-uml-%) $(CHECK_UML_HALVES:%=check-uml-%)
check-uml: modules-uml tests ## logic and locking: KUnit and guest tests in User Mode Linux, under lockdep
	@scripts/check-uml $(filter-out jit rocm-sid-gfx1100 libdrm,$(CHECK_UML))
$(CHECK_UML:%=check-uml-%) $(CHECK_UML_HALVES:%=check-uml-%): check-uml-%: $(if $(BUILT),,modules-uml tests)
	@scripts/check-uml $*

check-uml-amdgpu: $(if $(BUILT),,demo-program)

.PHONY: check-debug
check-debug: $(if $(BUILT),,modules-debug tests) ## memory: KUnit and guest tests on a kernel with KASAN, kmemleak and more (half an hour)
	@scripts/check-debug

.PHONY: check-debug-short
check-debug-short: $(if $(BUILT),,modules-debug tests) ## the shorter half of check-debug
	@scripts/check-debug --short

.PHONY: check-kasan check-kasan-short check-race-uml
check-kasan: $(if $(BUILT),,modules-uml-kasan tests) ## memory, on CPUs that run in parallel: KUnit and guest tests in User Mode Linux with KASAN (a quarter of an hour)
	@scripts/check-debug --uml
check-kasan-short: $(if $(BUILT),,modules-uml-kasan tests) ## what check-debug-short runs, there, in two minutes; for CI
	@scripts/check-debug --uml --short
check-race-uml: $(if $(BUILT),,modules-uml-kasan tests) ## check-race there
	@scripts/check-race --uml

.PHONY: $(CHECK_USER)
check-debug-user: $(if $(BUILT),,modules-debug tests) ## the short half of check-debug, with waves in user mode
	@VKFD_TEST_ENGINE=user scripts/check-debug --short
check-race-user: $(if $(BUILT),,modules-debug tests) ## check-race, with waves in user mode
	@VKFD_TEST_ENGINE=user scripts/check-race
check-rocm-user: $(if $(BUILT),,modules libthunk rocm-tests) ## this machine's ROCm on gfx90a, with waves in user mode
	@VKFD_TEST_ENGINE=user scripts/check-rocm gfx90a

.PHONY: check-race
check-race: $(if $(BUILT),,modules-debug tests) ## races: entry points against each other on the debug kernel, VKFD_RACE_S=300 seconds
	@scripts/check-race

OTHER_KERNELS := kcsan preempt-none rt
.PHONY: $(OTHER_KERNELS:%=check-%)
check-kcsan: ## data races: KUnit suites and the guest tests on a kernel with KCSAN (an hour)
check-preempt-none: ## the guest tests on a kernel with PREEMPT_NONE
check-rt: ## the guest tests on Debian's kernel with PREEMPT_RT
$(OTHER_KERNELS:%=check-%): check-%: $(if $(BUILT),,tests)
	+@$(MAKE) modules-$*
	@scripts/check-kernel $*

.PHONY: check-harness
check-harness: ## the tests of qemu/vm and of the runners
	@qemu/tests/run

.PHONY: bench
bench: modules-uml-fast engine ## speed through /dev/kfd in User Mode Linux, against the engine alone
	+@$(call SUB,selftests) bench bench-guest
	@scripts/bench

.PHONY: bench-host
bench-host: ## the engine's speed on this machine
	+@$(call SUB,selftests) bench
	@set -e; for b in $(BUILD)/selftests/bench/*; do if [ -f $$b -a -x $$b ]; then $$b; fi; done

FUZZ_S ?= 60
# What gates a change makes the same inputs each time, five seconds of them, as of the JIT's random
# programs, and has a third of the operands of each opcode for the decoder, and of compiled programs. CI
# has more (check-host-more); make check-host, fuzz and check-all have a minute, and hunt with random seeds.
GATE_FUZZ_S := 5
GATE_DECODE_SCALE := 0.34
GATE_JIT_S := 5
GATE_PROGRAMS_EVERY := 3
CI_FUZZ_S ?= 20
GATE_SEED = $(or $(FUZZ_SEED),1)
GATE = FUZZ_S=$(call fuzz_s,$(GATE_FUZZ_S)) FUZZ_SEED=$(GATE_SEED) ISA_DECODE_SCALE=$(GATE_DECODE_SCALE) \
	ISA_JIT_S=$(GATE_JIT_S) ISA_PROGRAMS_EVERY=$(GATE_PROGRAMS_EVERY)
fuzz_s = $(if $(filter file,$(origin FUZZ_S)),$(1),$(FUZZ_S))
export FUZZ_S
.PHONY: fuzz
fuzz: ## the libFuzzer targets, which check-host runs, too: FUZZ_S=60 seconds each
	+@$(call SUB,selftests) fuzz
	@selftests/run-fuzz --dir $(BUILD)/selftests --seconds $(FUZZ_S)

.PHONY: fidelity
fidelity: ## which opcodes are executed, and how exactly
	@$(MAKE) -C selftests/isa BUILD=$(BUILD)/selftests fidelity

.PHONY: sweep
sweep: ## the approximations and the division over all 2^32 floats (half an hour)
	@$(MAKE) -C selftests/isa BUILD=$(BUILD)/selftests $(BUILD)/selftests/host/lanes_sweep
	@$(BUILD)/selftests/host/lanes_sweep all

.PHONY: deb
deb: ## Debian packages, in build/deb
	@scripts/install-deps deb
	@scripts/make-deb

.PHONY: check-deb
check-deb: ## lintian; the packages installed, used and purged in Debian 12 and 13 (a quarter of an hour)
	@scripts/install-deps deb
	@scripts/check-deb

.PHONY: check-dkms
check-dkms: ## DKMS builds for the kernels that Debian 12, 13 and sid have now (docs/dkms.md; an hour)
	@scripts/install-deps deb
	@scripts/check-dkms $(if $(BUILT),--no-build)

.PHONY: dkms-install
dkms-install: ## register vkfd with DKMS on this machine
	@scripts/dkms-install

.PHONY: udev-install
udev-install: ## let group render use the GPUs of this machine (README, "Trust", says whom to put there)
	@scripts/udev-install $(or $(UDEV_MODE),0660)

.PHONY: engine-install
engine-install: engine ## put vkfd-engine where the module looks for it, /usr/libexec (DESTDIR, PREFIX)
	+@$(ENGINE) install

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 16

include scripts/steps.mk
