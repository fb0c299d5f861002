// SPDX-License-Identifier: MIT
// Kernels whose every result the CPU checks: vector add, LDS tiles, atomics, divergence.
#include <cstring>
#include <vector>
#include "rocm.h"

static __global__ void vadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

static void vector_add()
{
	const int n = 10007;	// no multiple of anything
	std::vector<float> a(n), b(n), c(n, -1), want(n);
	float *da, *db, *dc;
	int i;

	for (i = 0; i < n; i++) {
		a[i] = i * 0.5f;
		b[i] = n - i;
		want[i] = a[i] + b[i];
	}
	HIP(hipMalloc(&da, n * 4));
	HIP(hipMalloc(&db, n * 4));
	HIP(hipMalloc(&dc, n * 4));
	HIP(hipMemcpy(da, a.data(), n * 4, hipMemcpyHostToDevice));
	HIP(hipMemcpy(db, b.data(), n * 4, hipMemcpyHostToDevice));
	vadd<<<blocks(n, 256), 256>>>(da, db, dc, n);
	HIP(hipGetLastError());
	HIP(hipMemcpy(c.data(), dc, n * 4, hipMemcpyDeviceToHost));
	check_equal("c", c.data(), want.data(), n);
	HIP(hipFree(da));
	HIP(hipFree(db));
	HIP(hipFree(dc));
}

#define TILE	16

static __global__ void matmul(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + col];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += ta[y][i] * tb[i][x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

static void matrix_multiply()
{
	const int n = 64;
	std::vector<float> a(n * n), b(n * n), c(n * n), want(n * n);
	float *da, *db, *dc;

	// Small integers: sums are exact in any order
	for (int i = 0; i < n * n; i++) {
		a[i] = i % 7 - 3;
		b[i] = i % 11 - 5;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				want[i * n + j] += a[i * n + k] * b[k * n + j];
	HIP(hipMalloc(&da, n * n * 4));
	HIP(hipMalloc(&db, n * n * 4));
	HIP(hipMalloc(&dc, n * n * 4));
	HIP(hipMemcpy(da, a.data(), n * n * 4, hipMemcpyHostToDevice));
	HIP(hipMemcpy(db, b.data(), n * n * 4, hipMemcpyHostToDevice));
	matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
	HIP(hipGetLastError());
	HIP(hipMemcpy(c.data(), dc, n * n * 4, hipMemcpyDeviceToHost));
	check_equal("c", c.data(), want.data(), n * n);
	HIP(hipFree(da));
	HIP(hipFree(db));
	HIP(hipFree(dc));
}

struct counters {
	int add, min, max, bits;
	unsigned int inc;
	unsigned long long add64, cas64;
	float addf;
	double addd;
};

static __global__ void count(counters *c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long old = c->cas64, seen;

	atomicAdd(&c->add, i);
	atomicMin(&c->min, -i);
	atomicMax(&c->max, i);
	atomicOr(&c->bits, 1 << (i & 31));
	atomicInc(&c->inc, 99);
	atomicAdd(&c->add64, 1ull << 33);
	atomicAdd(&c->addf, 1.0f);
	atomicAdd(&c->addd, 0.5);
	while ((seen = atomicCAS(&c->cas64, old, old + 3)) != old)
		old = seen;
}

static void atomics()
{
	const int n = 1024;
	counters c = {}, *dc;

	HIP(hipMalloc(&dc, sizeof(c)));
	HIP(hipMemcpy(dc, &c, sizeof(c), hipMemcpyHostToDevice));
	count<<<n / 128, 128>>>(dc);
	HIP(hipMemcpy(&c, dc, sizeof(c), hipMemcpyDeviceToHost));
	CHECK(c.add == n * (n - 1) / 2);
	CHECK(c.min == -(n - 1));
	CHECK(c.max == n - 1);
	CHECK(c.bits == -1);
	CHECK(c.inc == n % 100);
	CHECK(c.add64 == (unsigned long long)n << 33);
	CHECK(c.cas64 == 3ull * n);
	CHECK(c.addf == n);
	CHECK(c.addd == n / 2);
	HIP(hipFree(dc));
}

static __global__ void lanes(unsigned long long *ballots, int *sums, int *path)
{
	int i = threadIdx.x, v = i, k, n = 0;

	ballots[i / warpSize] = __ballot(i % 3 == 0);
	for (k = warpSize / 2; k; k /= 2)
		v += __shfl_xor(v, k);
	sums[i] = v;
	for (k = i; k > 1; n++)
		k = k & 1 ? 3 * k + 1 : k / 2;
	path[i] = n;
}

static void lanes_and_divergence()
{
	unsigned long long ballots[2] = { 0, 0 }, want[2] = { 0, 0 }, *db;
	int sums[64], path[64], want_sum[64], want_path[64], *ds, *dp, warp;

	HIP(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
	CHECK(warp == 32 || warp == 64);
	for (int i = 0; i < 64; i++) {
		int n = 0, first = i / warp * warp;

		for (int k = i; k > 1; n++)
			k = k & 1 ? 3 * k + 1 : k / 2;
		want[i / warp] |= i % 3 ? 0 : 1ull << (i - first);
		want_sum[i] = first * warp + (warp - 1) * warp / 2;
		want_path[i] = n;
	}
	HIP(hipMalloc(&db, sizeof(ballots)));
	HIP(hipMalloc(&ds, sizeof(sums)));
	HIP(hipMalloc(&dp, sizeof(path)));
	lanes<<<1, 64>>>(db, ds, dp);
	HIP(hipMemcpy(ballots, db, 8 * (64 / warp), hipMemcpyDeviceToHost));
	HIP(hipMemcpy(sums, ds, sizeof(sums), hipMemcpyDeviceToHost));
	HIP(hipMemcpy(path, dp, sizeof(path), hipMemcpyDeviceToHost));
	CHECK(ballots[0] == want[0] && ballots[1] == want[1]);
	check_equal("sums", sums, want_sum, 64);
	check_equal("path", path, want_path, 64);
	HIP(hipFree(db));
	HIP(hipFree(ds));
	HIP(hipFree(dp));
}

// Indexed by a run-time value, so the array lives in scratch
static __global__ void scratch(int *out, const int *pick)
{
	int a[32], i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; k < 32; k++)
		a[(k * 5 + i) & 31] = k * i;
	out[i] = a[pick[i] & 31] + a[(pick[i] * 7) & 31];
}

static void private_arrays()
{
	const int n = 512;
	std::vector<int> pick(n), got(n), want(n);
	int *dp, *dout;

	for (int i = 0; i < n; i++) {
		int a[32];

		pick[i] = i * 13;
		for (int k = 0; k < 32; k++)
			a[(k * 5 + i) & 31] = k * i;
		want[i] = a[pick[i] & 31] + a[(pick[i] * 7) & 31];
	}
	HIP(hipMalloc(&dp, n * 4));
	HIP(hipMalloc(&dout, n * 4));
	HIP(hipMemcpy(dp, pick.data(), n * 4, hipMemcpyHostToDevice));
	scratch<<<n / 64, 64>>>(dout, dp);
	HIP(hipMemcpy(got.data(), dout, n * 4, hipMemcpyDeviceToHost));
	check_equal("out", got.data(), want.data(), n);
	HIP(hipFree(dp));
	HIP(hipFree(dout));
}

static __global__ void reverse(int *data)
{
	extern __shared__ int lds[];
	int i = threadIdx.x;

	lds[i] = data[i];
	__syncthreads();
	data[i] = lds[blockDim.x - 1 - i];
}

static void dynamic_lds()
{
	const int n = 1024;
	std::vector<int> v(n), want(n);
	int *dv;

	for (int i = 0; i < n; i++) {
		v[i] = i * i;
		want[n - 1 - i] = i * i;
	}
	HIP(hipMalloc(&dv, n * 4));
	HIP(hipMemcpy(dv, v.data(), n * 4, hipMemcpyHostToDevice));
	reverse<<<1, n, n * 4>>>(dv);
	HIP(hipMemcpy(v.data(), dv, n * 4, hipMemcpyDeviceToHost));
	check_equal("data", v.data(), want.data(), n);
	HIP(hipFree(dv));
}

static __device__ int device_variable = 17;
static __constant__ int constants[4];

static __global__ void symbols(int *out)
{
	out[threadIdx.x] = constants[threadIdx.x] + device_variable;
}

static void device_symbols()
{
	int in[4] = { 1, 20, 300, 4000 }, got[4], *dout, v;

	HIP(hipMemcpyToSymbol(HIP_SYMBOL(constants), in, sizeof(in)));
	HIP(hipMemcpyFromSymbol(&v, HIP_SYMBOL(device_variable), sizeof(v)));
	CHECK(v == 17);
	v = 5;
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(device_variable), &v, sizeof(v)));
	HIP(hipMalloc(&dout, sizeof(got)));
	symbols<<<1, 4>>>(dout);
	HIP(hipMemcpy(got, dout, sizeof(got), hipMemcpyDeviceToHost));
	for (int i = 0; i < 4; i++)
		CHECK(got[i] == in[i] + 5);
	HIP(hipFree(dout));
}

static __global__ void math(const float *in, float *out, double *dout)
{
	int i = threadIdx.x;
	float x = in[i];

	out[i] = sinf(x) + expf(-x) * sqrtf(x) + x / 3.0f;
	dout[i] = sin((double)x) + exp(-(double)x) / 7.0;
}

static void device_math()
{
	float in[64], out[64], *din, *dout;
	double outd[64], *doutd;

	for (int i = 0; i < 64; i++)
		in[i] = 0.1f + i * 0.37f;
	HIP(hipMalloc(&din, sizeof(in)));
	HIP(hipMalloc(&dout, sizeof(out)));
	HIP(hipMalloc(&doutd, sizeof(outd)));
	HIP(hipMemcpy(din, in, sizeof(in), hipMemcpyHostToDevice));
	math<<<1, 64>>>(din, dout, doutd);
	HIP(hipMemcpy(out, dout, sizeof(out), hipMemcpyDeviceToHost));
	HIP(hipMemcpy(outd, doutd, sizeof(outd), hipMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++) {
		double x = in[i], f = sin(x) + exp(-x) * sqrt(x) + x / 3, d = sin(x) + exp(-x) / 7;

		if (fabs(out[i] - f) > 2e-6 * (1 + fabs(f)))
			COMPLAIN("f32 at %d: %.9g, not %.9g", i, out[i], f);
		if (fabs(outd[i] - d) > 1e-14)
			COMPLAIN("f64 at %d: %.17g, not %.17g", i, outd[i], d);
	}
	HIP(hipFree(din));
	HIP(hipFree(dout));
	HIP(hipFree(doutd));
}

int main()
{
	TEST(vector_add);
	TEST(matrix_multiply);
	TEST(atomics);
	TEST(lanes_and_divergence);
	TEST(private_arrays);
	TEST(dynamic_lds);
	TEST(device_symbols);
	TEST(device_math);
	return tap_done();
}
