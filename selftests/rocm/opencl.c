// SPDX-License-Identifier: MIT
// OpenCL through rocm-opencl-icd: platform and device, programs compiled online.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <string.h>
#include "tap.h"

#define CL(call)								\
	do {									\
		cl_int err_ = (call);						\
		if (err_ != CL_SUCCESS) {					\
			COMPLAIN("%s: %d", #call, err_);			\
			return;							\
		}								\
	} while (0)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static const char source[] =
	"kernel void saxpy(float a, global const float *x, global float *y)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	y[i] = a * x[i] + y[i];\n"
	"}\n"
	"kernel void sum(global const int *in, global int *out, local int *part)\n"
	"{\n"
	"	uint i = get_local_id(0), n = get_local_size(0);\n"
	"	part[i] = in[get_global_id(0)];\n"
	"	for (uint k = n / 2; k; k /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (i < k)\n"
	"			part[i] += part[i + k];\n"
	"	}\n"
	"	if (!i)\n"
	"		atomic_add(out, part[0]);\n"
	"}\n"
	"kernel void shape(global ulong *out)\n"
	"{\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"	size_t at = x + get_global_size(0) * (y + get_global_size(1) * z);\n"
	"	out[at] = x + 100 * y + 10000 * z + 1000000 * get_group_id(0);\n"
	"}\n";

static void platform_and_device(void)
{
	cl_platform_id platforms[8];
	cl_uint n = 0, units;
	cl_ulong mem;
	char text[256];

	CL(clGetPlatformIDs(8, platforms, &n));
	for (cl_uint i = 0; i < n && !device; i++) {
		CL(clGetPlatformInfo(platforms[i], CL_PLATFORM_VENDOR, sizeof(text), text, NULL));
		if (strstr(text, "Advanced Micro Devices"))
			CL(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	}
	NEED(device);
	CL(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text), text, NULL));
	CHECK(!strncmp(text, "gfx", 3));
	CL(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL));
	CHECK(units >= 1);
	CL(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(mem), &mem, NULL));
	CHECK(mem >= 64 << 20);
}

static void context_and_queue(void)
{
	const cl_queue_properties props[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	cl_int err;

	NEED(device);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	CL(err);
	queue = clCreateCommandQueueWithProperties(context, device, props, &err);
	CL(err);
}

static cl_kernel kernel(const char *name)
{
	const char *text = source;
	static cl_program program;
	cl_kernel k = NULL;
	char log[2048];
	cl_int err;

	if (!queue)
		return NULL;
	if (!program) {
		program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
		if (!program || clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL)) {
			clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log),
					      log, NULL);
			printf("# %s\n", log);
			return NULL;
		}
	}
	k = clCreateKernel(program, name, &err);
	return k;
}

static void saxpy_and_profile(void)
{
	enum { N = 4096 };
	static float x[N], y[N], got[N];
	size_t global = N, local = 64;
	cl_ulong start, end;
	cl_mem bx, by;
	cl_kernel k = kernel("saxpy");
	cl_event done;
	float a = 3;
	cl_int err;
	int i, bad = 0;

	NEED(k);
	for (i = 0; i < N; i++) {
		x[i] = i;
		y[i] = 7 - i;
	}
	bx = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(x), x, &err);
	CL(err);
	by = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(y), NULL, &err);
	CL(err);
	CL(clEnqueueWriteBuffer(queue, by, CL_FALSE, 0, sizeof(y), y, 0, NULL, NULL));
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	CL(clSetKernelArg(k, 1, sizeof(bx), &bx));
	CL(clSetKernelArg(k, 2, sizeof(by), &by));
	CL(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, &done));
	CL(clEnqueueReadBuffer(queue, by, CL_TRUE, 0, sizeof(got), got, 1, &done, NULL));
	for (i = 0; i < N; i++)
		bad += got[i] != 3 * x[i] + y[i];
	CHECK(!bad);
	CL(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
	CL(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL));
	CHECK(start && end > start);
	CL(clReleaseMemObject(bx));
	CL(clReleaseMemObject(by));
}

static void reduction_in_local_memory(void)
{
	enum { N = 8192 };
	size_t global = N, local = 128;
	cl_kernel k = kernel("sum");
	int *mapped, total = -1, zero = 0, want = 0;
	cl_mem in, out;
	cl_int err;

	NEED(k);
	in = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, &err);
	CL(err);
	out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(int), &zero, &err);
	CL(err);
	mapped = clEnqueueMapBuffer(queue, in, CL_TRUE, CL_MAP_WRITE, 0, N * sizeof(int), 0, NULL,
				    NULL, &err);
	CL(err);
	for (int i = 0; i < N; i++)
		want += mapped[i] = i * 3 - 100;
	CL(clEnqueueUnmapMemObject(queue, in, mapped, 0, NULL, NULL));
	CL(clSetKernelArg(k, 0, sizeof(in), &in));
	CL(clSetKernelArg(k, 1, sizeof(out), &out));
	CL(clSetKernelArg(k, 2, local * sizeof(int), NULL));
	CL(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(total), &total, 0, NULL, NULL));
	CHECK(total == want);
	CL(clReleaseMemObject(in));
	CL(clReleaseMemObject(out));
}

static void three_dimensions(void)
{
	enum { X = 12, Y = 6, Z = 4 };
	size_t global[3] = { X, Y, Z }, local[3] = { 4, 3, 2 };
	static cl_ulong got[X * Y * Z];
	cl_kernel k = kernel("shape");
	int bad = 0;
	cl_mem out;
	cl_int err;

	NEED(k);
	out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof(got), NULL, &err);
	CL(err);
	CL(clSetKernelArg(k, 0, sizeof(out), &out));
	CL(clEnqueueNDRangeKernel(queue, k, 3, NULL, global, local, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
	for (int z = 0; z < Z; z++)
		for (int y = 0; y < Y; y++)
			for (int x = 0; x < X; x++)
				bad += got[x + X * (y + Y * z)] !=
					(cl_ulong)(x + 100 * y + 10000 * z + 1000000 * (x / 4));
	CHECK(!bad);
	CL(clReleaseMemObject(out));
}

static void fills_and_copies(void)
{
	static unsigned char got[5000];
	const unsigned int pattern = 0x01020304;
	cl_mem a, b;
	cl_int err;

	NEED(queue);
	a = clCreateBuffer(context, CL_MEM_READ_WRITE, 8192, NULL, &err);
	CL(err);
	b = clCreateBuffer(context, CL_MEM_READ_WRITE, 8192, NULL, &err);
	CL(err);
	CL(clEnqueueFillBuffer(queue, a, &pattern, 4, 0, 8192, 0, NULL, NULL));
	CL(clEnqueueCopyBuffer(queue, a, b, 4, 13, 5000, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, b, CL_TRUE, 13, 5000, got, 0, NULL, NULL));
	for (int i = 0; i < 5000; i++)
		if (got[i] != ((pattern >> i % 4 * 8) & 0xff))
			COMPLAIN("%d is %#x", i, got[i]);
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(b));
}

static void bad_source_is_told(void)
{
	const char *text = "kernel void k(global int *p) { *p = no_such_name; }";
	cl_program p;
	char log[4096] = "";
	cl_int err;

	NEED(context);
	p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	CL(err);
	CHECK(clBuildProgram(p, 1, &device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
	CL(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
	CHECK(strstr(log, "no_such_name"));
}

int main(void)
{
	TEST(platform_and_device);
	TEST(context_and_queue);
	TEST(saxpy_and_profile);
	TEST(reduction_in_local_memory);
	TEST(three_dimensions);
	TEST(fills_and_copies);
	TEST(bad_source_is_told);
	return tap_done();
}
