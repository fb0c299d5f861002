// SPDX-License-Identifier: MIT
// OpenCL's images through rocm-opencl-icd: of all types, read, written, filled and copied by the
// runtime and by kernels.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <math.h>
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

/* Ends the test where images are not executed. */
#define NEED_IMAGES								\
	do {									\
		if (!queue)							\
			SKIP("images of this GPU are not executed");		\
	} while (0)

enum { W = 37, H = 13, D = 6, N = W * H * D };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static const char source[] =
	"constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP |\n"
	"	CLK_FILTER_NEAREST;\n"
	"kernel void double_2d(read_only image2d_t from, write_only image2d_t to)\n"
	"{\n"
	"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"	write_imageui(to, at, 2 * read_imageui(from, nearest, at));\n"
	"}\n"
	"kernel void turn_3d(read_only image3d_t from, write_only image3d_t to)\n"
	"{\n"
	"	int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
	"	int4 to_at = get_image_dim(to) - 1 - at;\n"
	"	write_imageui(to, (int4)(to_at.xyz, 0), read_imageui(from, at));\n"
	"}\n"
	"kernel void layers(read_only image2d_array_t from, read_only image1d_array_t rows,\n"
	"		   global uint4 *out, global uint4 *row)\n"
	"{\n"
	"	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"	int w = get_global_size(0), h = get_global_size(1);\n"
	"	out[x + w * (y + h * z)] = read_imageui(from, (int4)(x, y, z, 0));\n"
	"	if (!y)\n"
	"		row[x + w * z] = read_imageui(rows, nearest, (int2)(x, z));\n"
	"}\n"
	"kernel void add_buffer(read_write image1d_buffer_t image)\n"
	"{\n"
	"	int x = get_global_id(0);\n"
	"	write_imageui(image, x, read_imageui(image, x) + 1);\n"
	"}\n"
	"kernel void sample(read_only image2d_t image, sampler_t s, global const float2 *at,\n"
	"		   global float4 *out)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	out[i] = read_imagef(image, s, at[i]);\n"
	"}\n";

static void support(void)
{
	cl_platform_id platforms[8];
	cl_image_format formats[256];
	cl_uint n = 0, k, f, found = 0;
	cl_device_id d = NULL;
	cl_bool images = CL_FALSE;
	char name[64] = "";
	const char *text = source;
	cl_context c;
	cl_int err;

	CL(clGetPlatformIDs(8, platforms, &n));
	for (k = 0; k < n && !d; k++)
		if (clGetDeviceIDs(platforms[k], CL_DEVICE_TYPE_GPU, 1, &d, NULL) != CL_SUCCESS)
			d = NULL;
	NEED(d);
	CL(clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof(name), name, NULL));
	CL(clGetDeviceInfo(d, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL));
	if (strncmp(name, "gfx1", 4))
		SKIP("images of this GPU are not executed");
	NEED(images);
	c = clCreateContext(NULL, 1, &d, NULL, NULL, &err);
	CL(err);
	CL(clGetSupportedImageFormats(c, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, formats,
				      &n));
	for (f = 0; f < n && f < 256; f++)
		found += formats[f].image_channel_order == CL_RGBA;
	CHECK(found >= 12);
	program = clCreateProgramWithSource(c, 1, &text, NULL, &err);
	CL(err);
	CL(clBuildProgram(program, 1, &d, "-cl-std=CL2.0", NULL, NULL));
	device = d;
	context = c;
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	CL(err);
}

static const cl_image_format rgba_ui = { CL_RGBA, CL_UNSIGNED_INT32 };
static const size_t origin[3] = { 0, 0, 0 };

static cl_mem image(cl_mem_object_type type, const cl_image_format *format, void *texels)
{
	cl_image_desc desc = {
		.image_type = type, .image_width = W, .image_height = H, .image_depth = D,
		.image_array_size = D,
	};
	cl_int err;

	return clCreateImage(context, CL_MEM_READ_WRITE | (texels ? CL_MEM_COPY_HOST_PTR : 0),
			     format, &desc, texels, &err);
}

static void fill_texels(unsigned int *t, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		t[i] = (unsigned int)i * 2654435761u >> 1;
}

static void same(const char *what, const unsigned int *got, const unsigned int *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (got[i] != want[i]) {
			COMPLAIN("%s: %zu is %x instead of %x", what, i, got[i], want[i]);
			return;
		}
}

static void run(cl_kernel k, const size_t *global, cl_uint dims)
{
	CL(clEnqueueNDRangeKernel(queue, k, dims, NULL, global, NULL, 0, NULL, NULL));
	CL(clFinish(queue));
}

static unsigned int texels[N * 4], got[N * 4], want[N * 4];

/* There and back for every type, without a kernel of one's own */
static void transfers(void)
{
	static const struct {
		const char *name;
		cl_mem_object_type type;
		size_t region[3];
	} t[] = {
		{ "1D", CL_MEM_OBJECT_IMAGE1D, { W, 1, 1 } },
		{ "1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, { W, D, 1 } },
		{ "2D", CL_MEM_OBJECT_IMAGE2D, { W, H, 1 } },
		{ "2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, { W, H, D } },
		{ "3D", CL_MEM_OBJECT_IMAGE3D, { W, H, D } },
	};
	size_t k, n, i;
	cl_mem a, b;

	NEED_IMAGES;
	fill_texels(texels, N * 4);
	for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		static const unsigned int colour[4] = { 1, 20, 300, 4000 };

		n = t[k].region[0] * t[k].region[1] * t[k].region[2] * 4;
		a = image(t[k].type, &rgba_ui, NULL);
		b = image(t[k].type, &rgba_ui, NULL);
		NEED(a && b);
		CL(clEnqueueWriteImage(queue, a, CL_TRUE, origin, t[k].region, 0, 0, texels, 0,
				       NULL, NULL));
		CL(clEnqueueCopyImage(queue, a, b, origin, origin, t[k].region, 0, NULL, NULL));
		memset(got, 0xee, sizeof(got));
		CL(clEnqueueReadImage(queue, b, CL_TRUE, origin, t[k].region, 0, 0, got, 0, NULL,
				      NULL));
		same(t[k].name, got, texels, n);
		CL(clEnqueueFillImage(queue, a, colour, origin, t[k].region, 0, NULL, NULL));
		CL(clEnqueueReadImage(queue, a, CL_TRUE, origin, t[k].region, 0, 0, got, 0, NULL,
				      NULL));
		for (i = 0; i < n; i++)
			want[i] = colour[i % 4];
		same("filled", got, want, n);
		CL(clReleaseMemObject(a));
		CL(clReleaseMemObject(b));
	}
}

static void kernel_2d(void)
{
	const size_t global[2] = { W, H }, region[3] = { W, H, 1 };
	cl_mem a, b;
	cl_kernel k;
	cl_int err;
	size_t i;

	NEED_IMAGES;
	fill_texels(texels, N * 4);
	a = image(CL_MEM_OBJECT_IMAGE2D, &rgba_ui, texels);
	b = image(CL_MEM_OBJECT_IMAGE2D, &rgba_ui, NULL);
	k = clCreateKernel(program, "double_2d", &err);
	NEED(a && b && k);
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	CL(clSetKernelArg(k, 1, sizeof(b), &b));
	run(k, global, 2);
	CL(clEnqueueReadImage(queue, b, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
	for (i = 0; i < W * H * 4; i++)
		want[i] = 2 * texels[i];
	same("doubled", got, want, W * H * 4);
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(b));
	CL(clReleaseKernel(k));
}

static void kernel_3d(void)
{
	const size_t global[3] = { W, H, D };
	cl_mem a, b;
	cl_kernel k;
	cl_int err;
	size_t i;

	NEED_IMAGES;
	fill_texels(texels, N * 4);
	a = image(CL_MEM_OBJECT_IMAGE3D, &rgba_ui, texels);
	b = image(CL_MEM_OBJECT_IMAGE3D, &rgba_ui, NULL);
	k = clCreateKernel(program, "turn_3d", &err);
	NEED(a && b && k);
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	CL(clSetKernelArg(k, 1, sizeof(b), &b));
	run(k, global, 3);
	CL(clEnqueueReadImage(queue, b, CL_TRUE, origin, global, 0, 0, got, 0, NULL, NULL));
	for (i = 0; i < N * 4; i++)
		want[i] = texels[(N - 1 - i / 4) * 4 + i % 4];
	same("turned", got, want, N * 4);
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(b));
	CL(clReleaseKernel(k));
}

static void kernel_arrays(void)
{
	const size_t global[3] = { W, H, D };
	cl_mem a, b, out, row;
	cl_kernel k;
	cl_int err;

	NEED_IMAGES;
	fill_texels(texels, N * 4);
	a = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, &rgba_ui, texels);
	b = image(CL_MEM_OBJECT_IMAGE1D_ARRAY, &rgba_ui, texels);
	out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(got), NULL, &err);
	row = clCreateBuffer(context, CL_MEM_READ_WRITE, W * D * 16, NULL, &err);
	k = clCreateKernel(program, "layers", &err);
	NEED(a && b && out && row && k);
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	CL(clSetKernelArg(k, 1, sizeof(b), &b));
	CL(clSetKernelArg(k, 2, sizeof(out), &out));
	CL(clSetKernelArg(k, 3, sizeof(row), &row));
	run(k, global, 3);
	CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
	same("layers", got, texels, N * 4);
	CL(clEnqueueReadBuffer(queue, row, CL_TRUE, 0, W * D * 16, got, 0, NULL, NULL));
	same("rows", got, texels, W * D * 4);
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(b));
	CL(clReleaseMemObject(out));
	CL(clReleaseMemObject(row));
	CL(clReleaseKernel(k));
}

static void image_of_a_buffer(void)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 1000 };
	unsigned char bytes[4000];
	const size_t global = 1000;
	cl_mem buffer, a;
	cl_kernel k;
	cl_int err;
	size_t i;

	NEED_IMAGES;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 251;
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(bytes),
				bytes, &err);
	CL(err);
	desc.mem_object = buffer;
	a = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
	CL(err);
	k = clCreateKernel(program, "add_buffer", &err);
	CL(err);
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	run(k, &global, 1);
	CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, NULL));
	for (i = 0; i < sizeof(bytes); i++)
		if (bytes[i] != i % 251 + 1) {
			COMPLAIN("%zu is %u", i, bytes[i]);
			break;
		}
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(buffer));
	CL(clReleaseKernel(k));
}

static float texel_at(const unsigned char *t, int x, int y, int c)
{
	if (x < 0 || y < 0 || x >= W || y >= H)
		return 0;
	return t[(y * W + x) * 4 + c] / 255.0f;
}

/* Bytes as colours, between texels and beyond the edge, where OpenCL's border is black */
static void sampler(cl_filter_mode filter)
{
	enum { PLACES = 400 };
	static float at[PLACES][2], out[PLACES][4];
	static unsigned char bytes[W * H * 4];
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_sampler_properties props[] = {
		CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
		CL_ADDRESS_CLAMP, CL_SAMPLER_FILTER_MODE, filter, 0,
	};
	const size_t global = PLACES;
	const int linear = filter == CL_FILTER_LINEAR;
	cl_mem a, in, res;
	cl_sampler s;
	cl_kernel k;
	cl_int err;
	int i, c;

	for (i = 0; i < W * H * 4; i++)
		bytes[i] = (unsigned int)i * 2654435761u >> 13;
	/* Sixteenths, but no middle between texels */
	for (i = 0; i < PLACES; i++) {
		at[i][0] = i * 7 % (W + 4) - 2 + (1 + i % 15) / 16.0f;
		at[i][1] = i * 5 % (H + 4) - 2 + (1 + i * 11 % 15) / 16.0f;
	}
	a = image(CL_MEM_OBJECT_IMAGE2D, &format, bytes);
	in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(at), at, &err);
	res = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(out), NULL, &err);
	s = clCreateSamplerWithProperties(context, props, &err);
	k = clCreateKernel(program, "sample", &err);
	NEED(a && in && res && s && k);
	CL(clSetKernelArg(k, 0, sizeof(a), &a));
	CL(clSetKernelArg(k, 1, sizeof(s), &s));
	CL(clSetKernelArg(k, 2, sizeof(in), &in));
	CL(clSetKernelArg(k, 3, sizeof(res), &res));
	run(k, &global, 1);
	CL(clEnqueueReadBuffer(queue, res, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
	for (i = 0; i < PLACES; i++) {
		const float u = at[i][0] - (linear ? 0.5f : 0), v = at[i][1] - (linear ? 0.5f : 0);
		const int x = (int)floorf(u), y = (int)floorf(v);
		const float fx = linear ? u - x : 0, fy = linear ? v - y : 0;

		for (c = 0; c < 4; c++) {
			float expect = (1 - fx) * (1 - fy) * texel_at(bytes, x, y, c) +
				       fx * (1 - fy) * texel_at(bytes, x + 1, y, c) +
				       (1 - fx) * fy * texel_at(bytes, x, y + 1, c) +
				       fx * fy * texel_at(bytes, x + 1, y + 1, c);

			if (!(fabsf(out[i][c] - expect) <= (linear ? 1 / 128.0f : 1e-6f)))
				COMPLAIN("(%g, %g)[%d] is %g instead of %g", at[i][0], at[i][1], c,
					 out[i][c], expect);
		}
	}
	CL(clReleaseMemObject(a));
	CL(clReleaseMemObject(in));
	CL(clReleaseMemObject(res));
	CL(clReleaseSampler(s));
	CL(clReleaseKernel(k));
}

static void samplers(void)
{
	NEED_IMAGES;
	sampler(CL_FILTER_NEAREST);
	sampler(CL_FILTER_LINEAR);
}

int main(void)
{
	TEST(support);
	TEST(transfers);
	TEST(kernel_2d);
	TEST(kernel_3d);
	TEST(kernel_arrays);
	TEST(image_of_a_buffer);
	TEST(samplers);
	return tap_done();
}
