// SPDX-License-Identifier: MIT
// Code that is compiled at run time.
#include <cstring>
#include <string>
#include <vector>
#include <hip/hiprtc.h>
#include "rocm.h"

static const char *source =
	"extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n)\n"
	"{\n"
	"	int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"	if (i < n)\n"
	"		y[i] = a * x[i] + y[i];\n"
	"}\n";

#define RTC(call)								\
	do {									\
		hiprtcResult err_ = (call);					\
		if (err_ != HIPRTC_SUCCESS) {					\
			COMPLAIN("%s: %s", #call, hiprtcGetErrorString(err_));	\
			return;							\
		}								\
	} while (0)

static std::string target_option()
{
	hipDeviceProp_t prop;

	if (hipGetDeviceProperties(&prop, 0) != hipSuccess)
		return "";
	return std::string("--gpu-architecture=") + prop.gcnArchName;
}

static void launch(hipFunction_t kernel)
{
	int n = 1000;
	float a = 2;
	std::vector<float> x(n), y(n), want(n);
	float *dx, *dy;
	void *args[] = { &a, &dx, &dy, &n };

	for (int i = 0; i < n; i++) {
		x[i] = i;
		y[i] = 1000 - i;
		want[i] = 2 * x[i] + y[i];
	}
	HIP(hipMalloc(&dx, n * 4));
	HIP(hipMalloc(&dy, n * 4));
	HIP(hipMemcpy(dx, x.data(), n * 4, hipMemcpyHostToDevice));
	HIP(hipMemcpy(dy, y.data(), n * 4, hipMemcpyHostToDevice));
	HIP(hipModuleLaunchKernel(kernel, blocks(n, 64), 1, 1, 64, 1, 1, 0, NULL, args, NULL));
	HIP(hipMemcpy(y.data(), dy, n * 4, hipMemcpyDeviceToHost));
	check_equal("y", y.data(), want.data(), n);
	HIP(hipFree(dx));
	HIP(hipFree(dy));
}

static void compile_and_launch()
{
	std::string option = target_option();
	const char *options[] = { option.c_str() };
	hiprtcProgram program;
	std::vector<char> code;
	hipFunction_t kernel;
	hipModule_t module;
	size_t size;

	RTC(hiprtcCreateProgram(&program, source, "saxpy.cu", 0, NULL, NULL));
	RTC(hiprtcCompileProgram(program, 1, options));
	RTC(hiprtcGetCodeSize(program, &size));
	NEED(size > 0);
	code.resize(size);
	RTC(hiprtcGetCode(program, code.data()));
	RTC(hiprtcDestroyProgram(&program));
	HIP(hipModuleLoadData(&module, code.data()));
	HIP(hipModuleGetFunction(&kernel, module, "saxpy"));
	launch(kernel);
	HIP(hipModuleUnload(module));
}

static void errors_are_told()
{
	std::string option = target_option();
	const char *options[] = { option.c_str() };
	hiprtcProgram program;
	std::vector<char> log;
	size_t size;

	RTC(hiprtcCreateProgram(&program, "__global__ void k() { no_such_name(); }", "bad.cu",
				0, NULL, NULL));
	CHECK(hiprtcCompileProgram(program, 1, options) == HIPRTC_ERROR_COMPILATION);
	RTC(hiprtcGetProgramLogSize(program, &size));
	log.resize(size + 1);
	RTC(hiprtcGetProgramLog(program, log.data()));
	CHECK(strstr(log.data(), "no_such_name"));
	RTC(hiprtcDestroyProgram(&program));
}

int main()
{
	TEST(compile_and_launch);
	TEST(errors_are_told);
	return tap_done();
}
