# SPDX-License-Identifier: MIT
# What scripts/run-check runs: a step NAME makes the target NAME, after the steps that it
# needs. make runs as many side by side as there are CPUs, and begins with those that
# stand first.

ROOTS := trixie sid
GPUS := $(shell scripts/targets)

step-%:
	+@scripts/step $*

# The headers that the tables generate, before the builds that would each make them
step-modules step-modules-uml step-modules-debug step-modules-kcsan step-modules-preempt-none \
	step-modules-rt step-tests-host step-tests-guest: step-isa-headers
step-tests-host step-tests-guest: step-libthunk
# Both build libisa.a
step-tests-host: step-engine
step-engine: step-isa-headers
step-modules-uml: step-kernel-uml
step-modules-debug: step-kernel-debug
step-modules-kcsan: step-kernel-kcsan
step-modules-preempt-none: step-kernel-preempt-none
step-modules-rt: step-kernel-rt

step-check-uml-kunit: step-modules-uml
step-check-uml-guest step-check-uml-guest-1 step-check-uml-guest-2 step-check-uml-peers \
	step-check-uml-amdgpu step-check-uml-bare step-check-uml-rdna: \
	step-modules-uml step-tests-guest
step-check-uml-engine step-check-uml-jit: step-modules-uml step-tests-guest step-engine
step-check-uml-rocm: step-modules-uml step-rocm-tests
step-check-uml-amdgpu: step-demo-program
step-demo-program: step-libthunk
step-check-uml-rocm-sid step-check-uml-rocm-sid-gfx1100 step-check-uml-ring: step-modules-uml step-rocm-tests-sid
step-modules-uml-fast: step-isa-headers step-kernel-uml-fast
step-check-debian-tests: step-modules-uml-fast step-root-sid
step-check-autopkgtest: step-modules-uml-fast step-root-trixie
# Both build the packages
step-check-dkms: step-check-deb
step-check-vm step-check-vm-rest step-check-vm-bare: step-modules step-tests-guest
step-check-vm step-check-vm-rest step-check-uml-guest step-check-uml-guest-1 step-check-uml-guest-2: step-engine
step-check-host step-check-host-more step-check-decode: step-tests-host
step-check-harness: step-modules step-kernel-uml
step-check-debug step-check-debug-short step-check-race: step-modules-debug step-tests-guest step-engine
step-check-debug-user step-check-race-user: step-modules-debug step-tests-guest step-engine
step-modules-uml-kasan: step-isa-headers step-kernel-uml-kasan
step-check-kasan step-check-kasan-short step-check-race-uml: step-modules-uml-kasan step-tests-guest step-engine
step-check-kcsan: step-modules-kcsan step-tests-guest step-engine
step-check-preempt-none: step-modules-preempt-none step-tests-guest step-engine
step-check-rt: step-modules-rt step-tests-guest step-engine

# ROCm's userland: check-rocm-ROOT-GPU, check-rocm-ROOT-abi
ROCM_STEPS := $(foreach r,host $(ROOTS),$(foreach g,$(GPUS) abi,check-rocm-$(r)-$(g)))
.PHONY: $(ROCM_STEPS)
$(ROCM_STEPS): check-rocm-%:
	@scripts/check-rocm --root $(subst -, ,$*)

.PHONY: deps-rocm
deps-rocm:
	@scripts/install-deps rocm
step-rocm-tests: step-deps-rocm
step-check-rocm-user: step-modules step-libthunk step-rocm-tests step-engine
$(GPUS:%=step-check-rocm-host-%): step-modules step-libthunk step-rocm-tests
step-check-rocm-host-abi: step-libthunk step-deps-rocm

# The same in other Debians, with their kernels
define root_steps
.PHONY: root-$(1) modules-$(1) rocm-tests-$(1) check-vm-$(1) check-vm-$(1)-rest
root-$(1):
	@qemu/root $(1) > /dev/null
modules-$(1):
	+@$$(MAKE) modules ROOT=$(1)
rocm-tests-$(1):
	+@$$(MAKE) rocm-tests ROOT=$(1)
check-vm-$(1):
	@scripts/check-vm --root $(1)
check-vm-$(1)-rest:
	@scripts/check-vm --root $(1) rest
step-root-$(1): step-deps-rocm
step-modules-$(1): step-root-$(1) step-isa-headers
step-rocm-tests-$(1): step-root-$(1)
step-check-vm-$(1) step-check-vm-$(1)-rest: step-modules-$(1) step-tests-guest step-engine
$$(GPUS:%=step-check-rocm-$(1)-%): step-modules-$(1) step-rocm-tests-$(1) step-libthunk
step-check-rocm-$(1)-abi: step-root-$(1) step-libthunk
endef
$(foreach r,$(ROOTS),$(eval $(call root_steps,$(r))))
