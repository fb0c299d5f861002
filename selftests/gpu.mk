# SPDX-License-Identifier: MIT
# Compilers for GPU code, and TARGETS, the GPUs of the model that they know; OPT_IN, those that
# tests run on only if they are asked to, but have code for. A GPU that
# GPU_CC does not know has a compiler of its own here; where that is not installed, tests
# have no code for this GPU and say so.
#	$(call gpu_cc,gfx950)	the compiler for gfx950

GPU_CC ?= clang-19
GPU_CC_gfx950 ?= clang-22
# Clang 22 makes a function of each OpenCL kernel, too, which nobody calls: leave it out
GPU_CC_FLAGS_gfx950 := -mllvm -amdgpu-internalize-symbols
gpu_cc = $(or $(GPU_CC_$1),$(GPU_CC)) $(GPU_CC_FLAGS_$1)

ifndef TARGETS
targets := $(dir $(lastword $(MAKEFILE_LIST)))../scripts/targets
TARGETS := $(shell $(targets) $(GPU_CC) $(foreach v,$(filter GPU_CC_gfx%,$(.VARIABLES)),$($v)))
OPT_IN := $(shell $(targets) --opt-in $(GPU_CC))
endif
