// SPDX-License-Identifier: MIT
// Textures and surfaces: arrays of all dimensions, pitched and linear memory, formats, filters,
// address modes; against what the processor makes of the same texels.
#include <cmath>
#include <cstring>
#include <vector>
#include "rocm.h"

// The compiler says which GPUs have no images; kernels are empty there and never run
#ifdef __HIP_NO_IMAGE_SUPPORT
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wunused-variable"
#define IMAGE(...)
#else
#define IMAGE(...)	__VA_ARGS__
#endif

static bool has_images;

#define NEED_IMAGES								\
	do {									\
		if (!has_images)						\
			SKIP("images of this GPU are not executed");		\
	} while (0)

struct place {
	float x, y, z;
	int layer;
};

enum how { FETCH_1D, TEX_1D, TEX_2D, TEX_3D, LAYERED_1D, LAYERED_2D };

template <typename T>
static __global__ void read_texture(hipTextureObject_t t, how h, const place *at, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	IMAGE(
	place p = at[i];
	switch (h) {
	case FETCH_1D:
		out[i] = tex1Dfetch<T>(t, (int)p.x);
		break;
	case TEX_1D:
		out[i] = tex1D<T>(t, p.x);
		break;
	case TEX_2D:
		out[i] = tex2D<T>(t, p.x, p.y);
		break;
	case TEX_3D:
		out[i] = tex3D<T>(t, p.x, p.y, p.z);
		break;
	case LAYERED_1D:
		out[i] = tex1DLayered<T>(t, p.x, p.layer);
		break;
	case LAYERED_2D:
		out[i] = tex2DLayered<T>(t, p.x, p.y, p.layer);
		break;
	})
}

template <typename T>
static void read_places(hipTextureObject_t t, how h, const std::vector<place> &at,
			std::vector<T> &got)
{
	int n = at.size();
	place *dev_at;
	T *dev;

	got.assign(n, T());
	HIP(hipMalloc(&dev_at, n * sizeof(place)));
	HIP(hipMalloc(&dev, n * sizeof(T)));
	HIP(hipMemset(dev, 0xee, n * sizeof(T)));
	HIP(hipMemcpy(dev_at, at.data(), n * sizeof(place), hipMemcpyHostToDevice));
	read_texture<T><<<blocks(n, 64), 64>>>(t, h, dev_at, dev, n);
	HIP(hipMemcpy(got.data(), dev, n * sizeof(T), hipMemcpyDeviceToHost));
	HIP(hipFree(dev));
	HIP(hipFree(dev_at));
}

struct options {
	hipTextureFilterMode filter = hipFilterModePoint;
	hipTextureReadMode read = hipReadModeElementType;
	hipTextureAddressMode address = hipAddressModeClamp;
	bool normalised = false;
};

static hipError_t texture_of(hipTextureObject_t *t, const hipResourceDesc &res, const options &o)
{
	hipTextureDesc desc;

	memset(&desc, 0, sizeof(desc));
	for (auto &mode : desc.addressMode)
		mode = o.address;
	desc.filterMode = o.filter;
	desc.readMode = o.read;
	desc.normalizedCoords = o.normalised;
	return hipCreateTextureObject(t, &res, &desc, nullptr);
}

static hipResourceDesc resource_of(hipArray_t array)
{
	hipResourceDesc res;

	memset(&res, 0, sizeof(res));
	res.resType = hipResourceTypeArray;
	res.res.array.array = array;
	return res;
}

template <typename T>
static hipError_t fill(hipArray_t array, const T *from, size_t w, size_t h, size_t d)
{
	hipMemcpy3DParms p;

	memset(&p, 0, sizeof(p));
	p.srcPtr = make_hipPitchedPtr((void *)from, w * sizeof(T), w, h);
	p.dstArray = array;
	p.extent = make_hipExtent(w, h, d);
	p.kind = hipMemcpyHostToDevice;
	return hipMemcpy3D(&p);
}

template <typename T>
static hipError_t take(T *to, hipArray_t array, size_t w, size_t h, size_t d)
{
	hipMemcpy3DParms p;

	memset(&p, 0, sizeof(p));
	p.dstPtr = make_hipPitchedPtr(to, w * sizeof(T), w, h);
	p.srcArray = array;
	p.extent = make_hipExtent(w, h, d);
	p.kind = hipMemcpyDeviceToHost;
	return hipMemcpy3D(&p);
}

// Deterministic texels
static unsigned int noise(unsigned int n)
{
	n = (n ^ 61) ^ n >> 16;
	n *= 9;
	n ^= n >> 4;
	n *= 0x27d4eb2d;
	return n ^ n >> 15;
}

static std::vector<float> grey(size_t n)
{
	std::vector<float> v(n);

	for (size_t i = 0; i < n; i++)
		v[i] = noise(i) % 1025 / 1024.0f;
	return v;
}

// Texel of an axis, -1 for the border
static int address(int at, int size, hipTextureAddressMode mode)
{
	switch (mode) {
	case hipAddressModeWrap:
		return (at % size + size) % size;
	case hipAddressModeMirror:
		at = (at % (2 * size) + 2 * size) % (2 * size);
		return at < size ? at : 2 * size - 1 - at;
	case hipAddressModeBorder:
		return at < 0 || at >= size ? -1 : at;
	default:
		return at < 0 ? 0 : at >= size ? size - 1 : at;
	}
}

struct grid {
	const float *texel;
	int size[3], axes;
};

// What a texture of floats is to give at c; the filter's weights are as exact as a double
static double reference(const grid &g, const options &o, const float *c)
{
	const bool linear = o.filter == hipFilterModeLinear;
	int from[3] = { 0 };
	double part[3] = { 0 }, sum = 0;

	for (int k = 0; k < g.axes; k++) {
		double at = o.normalised ? (double)c[k] * g.size[k] : c[k];

		if (linear)
			at -= 0.5;
		from[k] = (int)std::floor(at);
		part[k] = linear ? at - from[k] : 0;
	}
	for (int corner = 0; corner < 1 << g.axes; corner++) {
		double weight = 1;
		long index = 0, stride = 1;
		bool border = false;

		for (int k = 0; k < g.axes; k++) {
			int one = corner >> k & 1;
			int at = address(from[k] + one, g.size[k], o.address);

			weight *= one ? part[k] : 1 - part[k];
			border |= at < 0;
			index += at * stride;
			stride *= g.size[k];
		}
		if (weight && !border)
			sum += weight * g.texel[index];
	}
	return sum;
}

// Places in and around an image, none of them where a rounding would decide for another texel
static std::vector<place> places(const grid &g, const options &o, int n)
{
	std::vector<place> at(n);

	for (int i = 0; i < n; i++) {
		float c[3] = { 0 };

		for (int k = 0; k < g.axes; k++) {
			unsigned int r = noise(i * 3 + k);
			float texels = (int)(r % (3 * g.size[k])) - g.size[k] +
				       (1 + (r >> 16) % 15) / 16.0f;

			c[k] = o.normalised ? texels / g.size[k] : texels;
		}
		at[i] = { c[0], c[1], c[2], 0 };
	}
	return at;
}

static void compare(const char *what, hipArray_t array, const grid &g, const options &o)
{
	static const how hows[] = { TEX_1D, TEX_2D, TEX_3D };
	std::vector<place> at = places(g, o, 500);
	std::vector<float> got;
	hipTextureObject_t t;
	// Weights have 8 bits for each axis, texels are from 0 to 1
	const double slack = o.filter == hipFilterModeLinear ? g.axes / 256.0 : 0;

	HIP(texture_of(&t, resource_of(array), o));
	read_places(t, hows[g.axes - 1], at, got);
	for (size_t i = 0; i < at.size(); i++) {
		const float c[3] = { at[i].x, at[i].y, at[i].z };
		double want = reference(g, o, c);

		if (!(std::fabs(got[i] - want) <= slack))
			COMPLAIN("%s, %d axes: (%g, %g, %g) is %g instead of %g", what, g.axes,
				 c[0], c[1], c[2], got[i], want);
	}
	HIP(hipDestroyTextureObject(t));
}

static hipError_t make_array(hipArray_t *array, const hipChannelFormatDesc &format, const int *size,
			     int axes, unsigned int flags)
{
	return hipMalloc3DArray(array, &format,
				make_hipExtent(size[0], axes > 1 ? size[1] : 0,
					       axes > 2 ? size[2] : 0), flags);
}

static void sampled(hipTextureFilterMode filter)
{
	static const struct {
		const char *name;
		hipTextureAddressMode mode;
		bool normalised;
	} modes[] = {
		{ "clamp", hipAddressModeClamp, false },
		{ "border", hipAddressModeBorder, false },
		{ "clamp, normalised", hipAddressModeClamp, true },
		{ "border, normalised", hipAddressModeBorder, true },
		{ "wrap", hipAddressModeWrap, true },
		{ "mirror", hipAddressModeMirror, true },
	};
	static const int sizes[3][3] = { { 53, 1, 1 }, { 32, 16, 1 }, { 16, 8, 5 } };

	for (int axes = 1; axes <= 3; axes++) {
		const int *s = sizes[axes - 1];
		std::vector<float> texels = grey(s[0] * s[1] * s[2]);
		grid g = { texels.data(), { s[0], s[1], s[2] }, axes };
		hipArray_t array;

		HIP(make_array(&array, hipCreateChannelDesc<float>(), s, axes, hipArrayDefault));
		HIP(fill(array, texels.data(), s[0], s[1], s[2]));
		for (const auto &m : modes) {
			options o;

			o.filter = filter;
			o.address = m.mode;
			o.normalised = m.normalised;
			compare(m.name, array, g, o);
		}
		HIP(hipFreeArray(array));
	}
}

static void nearest()
{
	NEED_IMAGES;
	sampled(hipFilterModePoint);
}

static void linear()
{
	NEED_IMAGES;
	sampled(hipFilterModeLinear);
}

static void pitched_memory()
{
	const int w = 71, h = 19;
	std::vector<float> texels = grey(w * h), got;
	std::vector<place> at;
	hipResourceDesc res;
	hipTextureObject_t t;
	options o;
	size_t pitch;
	float *dev;

	NEED_IMAGES;
	HIP(hipMallocPitch((void **)&dev, &pitch, w * sizeof(float), h));
	HIP(hipMemset(dev, 0xee, pitch * h));
	HIP(hipMemcpy2D(dev, pitch, texels.data(), w * sizeof(float), w * sizeof(float), h,
			hipMemcpyHostToDevice));
	memset(&res, 0, sizeof(res));
	res.resType = hipResourceTypePitch2D;
	res.res.pitch2D.devPtr = dev;
	res.res.pitch2D.desc = hipCreateChannelDesc<float>();
	res.res.pitch2D.width = w;
	res.res.pitch2D.height = h;
	res.res.pitch2D.pitchInBytes = pitch;
	for (auto filter : { hipFilterModePoint, hipFilterModeLinear }) {
		grid g = { texels.data(), { w, h, 1 }, 2 };

		o.filter = filter;
		at = places(g, o, 1000);
		HIP(texture_of(&t, res, o));
		read_places(t, TEX_2D, at, got);
		for (size_t i = 0; i < at.size(); i++) {
			const float c[] = { at[i].x, at[i].y };
			double want = reference(g, o, c);

			if (!(std::fabs(got[i] - want) <=
			      (filter == hipFilterModeLinear ? 2 / 256.0 : 0)))
				COMPLAIN("(%g, %g) is %g instead of %g", c[0], c[1], got[i], want);
		}
		HIP(hipDestroyTextureObject(t));
	}
	HIP(hipFree(dev));
}

template <typename T>
static void fetched(const char *what)
{
	const int n = 300;
	std::vector<T> texels(n), got;
	std::vector<place> at(n);
	hipResourceDesc res;
	hipTextureObject_t t;
	T *dev;

	memset(&res, 0, sizeof(res));
	for (size_t i = 0; i < n * sizeof(T); i++)
		((unsigned char *)texels.data())[i] = noise(i) & 0x3f;
	for (int i = 0; i < n; i++)
		at[i].x = noise(i) % n;
	HIP(hipMalloc(&dev, n * sizeof(T)));
	HIP(hipMemcpy(dev, texels.data(), n * sizeof(T), hipMemcpyHostToDevice));
	res.resType = hipResourceTypeLinear;
	res.res.linear.devPtr = dev;
	res.res.linear.desc = hipCreateChannelDesc<T>();
	res.res.linear.sizeInBytes = n * sizeof(T);
	HIP(texture_of(&t, res, options()));
	read_places(t, FETCH_1D, at, got);
	for (int i = 0; i < n; i++)
		if (memcmp(&got[i], &texels[(int)at[i].x], sizeof(T)))
			COMPLAIN("%s: texel %g differs", what, at[i].x);
	HIP(hipDestroyTextureObject(t));
	HIP(hipFree(dev));
}

static void linear_memory()
{
	NEED_IMAGES;
	fetched<unsigned char>("uchar");
	fetched<char2>("char2");
	fetched<ushort4>("ushort4");
	fetched<int>("int");
	fetched<float2>("float2");
	fetched<float4>("float4");
}

// Texels come as they were put in, through texture and through surface
template <typename T>
static __global__ void copy_surface(hipSurfaceObject_t from, hipSurfaceObject_t to, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x >= w || y >= h)
		return;
	IMAGE(
	T v;
	surf2Dread(&v, from, x * (int)sizeof(T), y);
	surf2Dwrite(v, to, (w - 1 - x) * (int)sizeof(T), y);
	)
}

template <typename T>
static void one_format(const char *what)
{
	const int size[2] = { 45, 23 }, n = size[0] * size[1];
	std::vector<T> texels(n), got, back(n);
	std::vector<place> at(n);
	hipArray_t array, other;
	hipSurfaceObject_t in, out;
	hipResourceDesc res;
	hipTextureObject_t t;

	for (size_t i = 0; i < n * sizeof(T); i++)
		((unsigned char *)texels.data())[i] = noise(i) & 0x3f;
	for (int i = 0; i < n; i++)
		at[i] = { i % size[0] + 0.5f, i / size[0] + 0.5f, 0, 0 };
	HIP(make_array(&array, hipCreateChannelDesc<T>(), size, 2, hipArraySurfaceLoadStore));
	HIP(make_array(&other, hipCreateChannelDesc<T>(), size, 2, hipArraySurfaceLoadStore));
	HIP(hipMemcpy2DToArray(array, 0, 0, texels.data(), size[0] * sizeof(T),
			       size[0] * sizeof(T), size[1], hipMemcpyHostToDevice));
	HIP(texture_of(&t, resource_of(array), options()));
	read_places(t, TEX_2D, at, got);
	for (int i = 0; i < n; i++)
		if (memcmp(&got[i], &texels[i], sizeof(T)))
			COMPLAIN("%s: texel %d differs", what, i);
	HIP(hipDestroyTextureObject(t));
	res = resource_of(array);
	HIP(hipCreateSurfaceObject(&in, &res));
	res = resource_of(other);
	HIP(hipCreateSurfaceObject(&out, &res));
	copy_surface<T><<<dim3(1, size[1]), 64>>>(in, out, size[0], size[1]);
	HIP(hipMemcpy2DFromArray(back.data(), size[0] * sizeof(T), other, 0, 0,
				 size[0] * sizeof(T), size[1], hipMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		if (memcmp(&back[i], &texels[i / size[0] * size[0] + size[0] - 1 - i % size[0]],
			   sizeof(T)))
			COMPLAIN("%s: texel %d of the surface differs", what, i);
	HIP(hipDestroySurfaceObject(in));
	HIP(hipDestroySurfaceObject(out));
	HIP(hipFreeArray(array));
	HIP(hipFreeArray(other));
}

static void formats()
{
	NEED_IMAGES;
	one_format<unsigned char>("uchar");
	one_format<char2>("char2");
	one_format<uchar4>("uchar4");
	one_format<short>("short");
	one_format<ushort2>("ushort2");
	one_format<short4>("short4");
	one_format<int>("int");
	one_format<uint2>("uint2");
	one_format<int4>("int4");
	one_format<float>("float");
	one_format<float2>("float2");
	one_format<float4>("float4");
}

// Bytes and shorts as numbers from 0, or -1, to 1
template <typename T>
static void one_normalised(const char *what, double most)
{
	const int size[2] = { 64, 4 }, n = size[0] * size[1];
	std::vector<T> texels(n);
	std::vector<float> got;
	std::vector<place> at(n);
	hipTextureObject_t t;
	hipArray_t array;
	options o;

	o.read = hipReadModeNormalizedFloat;
	for (int i = 0; i < n; i++) {
		texels[i] = (T)noise(i);
		at[i] = { i % size[0] + 0.5f, i / size[0] + 0.5f, 0, 0 };
	}
	HIP(make_array(&array, hipCreateChannelDesc<T>(), size, 2, hipArrayDefault));
	HIP(fill(array, texels.data(), size[0], size[1], 1));
	HIP(texture_of(&t, resource_of(array), o));
	read_places(t, TEX_2D, at, got);
	for (int i = 0; i < n; i++) {
		double want = std::fmax(texels[i] / most, -1);

		if (!(std::fabs(got[i] - want) <= 1e-7))
			COMPLAIN("%s: %g instead of %g", what, got[i], want);
	}
	HIP(hipDestroyTextureObject(t));
	HIP(hipFreeArray(array));
}

static void normalised_formats()
{
	NEED_IMAGES;
	one_normalised<unsigned char>("uchar", 255);
	one_normalised<signed char>("char", 127);
	one_normalised<unsigned short>("ushort", 65535);
	one_normalised<short>("short", 32767);
}

static void layered(int axes)
{
	const int w = 24, h = axes > 1 ? 10 : 1, layers = 7, n = w * h * layers;
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	std::vector<float> texels = grey(n), got;
	std::vector<place> at(n);
	hipTextureObject_t t;
	hipArray_t array;

	for (int i = 0; i < n; i++)
		at[i] = { i % w + 0.5f, i / w % h + 0.5f, 0, i / (w * h) };
	HIP(hipMalloc3DArray(&array, &format, make_hipExtent(w, axes > 1 ? h : 0, layers),
			     hipArrayLayered));
	HIP(fill(array, texels.data(), w, h, layers));
	HIP(texture_of(&t, resource_of(array), options()));
	read_places(t, axes > 1 ? LAYERED_2D : LAYERED_1D, at, got);
	check_equal(axes > 1 ? "2D" : "1D", got.data(), texels.data(), n);
	HIP(hipDestroyTextureObject(t));
	HIP(hipFreeArray(array));
}

static void layers()
{
	NEED_IMAGES;
	layered(1);
	layered(2);
}

// HIP's functions for surfaces with layers take the layer for a level, so there are none here
static __global__ void write_surfaces(hipSurfaceObject_t s1, hipSurfaceObject_t s3, int w, int h,
				      int d)
{
	int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;

	IMAGE(
	if (x < w && !y && !z)
		surf1Dwrite(x * 3 + 1, s1, x * 4);
	if (x < w && y < h && z < d)
		surf3Dwrite(x + 100 * y + 10000 * z, s3, x * 4, y, z);
	)
}

static void surfaces()
{
	const int size[3] = { 40, 12, 6 }, n = size[0] * size[1] * size[2];
	hipChannelFormatDesc format = hipCreateChannelDesc<int>();
	std::vector<int> got(n);
	hipSurfaceObject_t s1, s3;
	hipArray_t a1, a3;
	hipResourceDesc res;

	NEED_IMAGES;
	HIP(make_array(&a1, format, size, 1, hipArraySurfaceLoadStore));
	HIP(make_array(&a3, format, size, 3, hipArraySurfaceLoadStore));
	res = resource_of(a1);
	HIP(hipCreateSurfaceObject(&s1, &res));
	res = resource_of(a3);
	HIP(hipCreateSurfaceObject(&s3, &res));
	write_surfaces<<<dim3(size[1], size[2]), 64>>>(s1, s3, size[0], size[1], size[2]);
	HIP(take(got.data(), a1, size[0], 1, 1));
	for (int i = 0; i < size[0]; i++)
		if (got[i] != i * 3 + 1)
			COMPLAIN("1D: %d is %d", i, got[i]);
	HIP(take(got.data(), a3, size[0], size[1], size[2]));
	for (int i = 0; i < n; i++) {
		int x = i % size[0], y = i / size[0] % size[1], z = i / size[0] / size[1];

		if (got[i] != x + 100 * y + 10000 * z)
			COMPLAIN("3D: (%d, %d, %d) is %d", x, y, z, got[i]);
	}
	HIP(hipDestroySurfaceObject(s1));
	HIP(hipDestroySurfaceObject(s3));
	HIP(hipFreeArray(a1));
	HIP(hipFreeArray(a3));
}

// A rectangle in the middle of an array, into another one, and out again
static void rectangles_of_arrays()
{
	const int size[2] = { 100, 60 }, n = size[0] * size[1], w = 33, h = 21;
	std::vector<int> texels(n), part(w * h), want(w * h);
	hipArray_t a, b;

	NEED_IMAGES;
	for (int i = 0; i < n; i++)
		texels[i] = noise(i);
	HIP(make_array(&a, hipCreateChannelDesc<int>(), size, 2, hipArrayDefault));
	HIP(make_array(&b, hipCreateChannelDesc<int>(), size, 2, hipArrayDefault));
	HIP(fill(a, texels.data(), size[0], size[1], 1));
	HIP(hipMemcpy2DFromArray(part.data(), w * 4, a, 5 * 4, 7, w * 4, h,
				 hipMemcpyDeviceToHost));
	for (int i = 0; i < w * h; i++)
		want[i] = texels[(7 + i / w) * size[0] + 5 + i % w];
	check_equal("out", part.data(), want.data(), w * h);
	HIP(hipMemcpy2DToArray(b, 50 * 4, 30, part.data(), w * 4, w * 4, h,
			       hipMemcpyHostToDevice));
	std::fill(part.begin(), part.end(), 0);
	HIP(hipMemcpy2DFromArray(part.data(), w * 4, b, 50 * 4, 30, w * 4, h,
				 hipMemcpyDeviceToHost));
	check_equal("there and back", part.data(), want.data(), w * h);
	HIP(hipFreeArray(a));
	HIP(hipFreeArray(b));
}

int main()
{
	hipDeviceProp_t prop;

	if (hipGetDeviceProperties(&prop, 0) != hipSuccess) {
		printf("Bail out! no GPU\n");
		return 1;
	}
	has_images = !strncmp(prop.gcnArchName, "gfx1", 4);
	TEST(nearest);
	TEST(linear);
	TEST(pitched_memory);
	TEST(linear_memory);
	TEST(formats);
	TEST(normalised_formats);
	TEST(layers);
	TEST(surfaces);
	TEST(rectangles_of_arrays);
	return tap_done();
}
