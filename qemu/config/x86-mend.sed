# SPDX-License-Identifier: MIT
# Kernels for QEMU without static calls, which patch code whenever a tracepoint is
# switched: multi-threaded TCG loses such patches now and then. Without them, the calls
# go through pointers. qemu/kernel runs this over arch/x86/Kconfig, where they cannot be
# switched off.
/^\tselect HAVE_STATIC_CALL\(_INLINE\)\?\>/d
/^\tselect HAVE_PREEMPT_DYNAMIC_CALL$/d
