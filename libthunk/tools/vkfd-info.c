// SPDX-License-Identifier: MIT
/* vkfd-info: describe what the driver offers.  See vkfd-info(1). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aql/aql.h"
#include "device.h"
#include "hsakmt/hsakmt.h"

#define FIELD(name, ...)	\
	do { printf("  %-26s ", name ":"); printf(__VA_ARGS__); putchar('\n'); } while (0)

static const char usage_text[] =
"Usage: vkfd-info [--help|--version]\n"
"\n"
"Print the agents behind /dev/kfd: CPUs and GPUs, their memory, caches and links.\n";

static int fail(const char *what)
{
	fprintf(stderr, "vkfd-info: %s\n", what);
	return EXIT_FAILURE;
}

static const char *heap_name(uint32_t type)
{
	static const char * const names[] = {
		"system", "VRAM, visible to the CPU", "VRAM", "GDS", "LDS", "scratch aperture",
		"shared address space", "register page",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

static const char *link_name(uint32_t type)
{
	switch (type) {
	case HSA_IOLINKTYPE_HYPERTRANSPORT:
		return "HyperTransport";
	case HSA_IOLINKTYPE_PCIEXPRESS:
		return "PCIe";
	case HSA_IOLINK_TYPE_QPI_1_1:
		return "QPI";
	case HSA_IOLINK_TYPE_XGMI:
		return "XGMI";
	default:
		return "other";
	}
}

/* A line above others, which stands out on a terminal. */
static void print_head(const char *format, ...)
{
	const char *no = getenv("NO_COLOR");
	bool bold = isatty(STDOUT_FILENO) && (!no || !*no);
	va_list args;

	va_start(args, format);
	fputs(bold ? "\033[1m" : "", stdout);
	vprintf(format, args);
	puts(bold ? "\033[0m" : "");
	va_end(args);
}

/* A size with the unit in which it is whole; large ones as near as one can read them. */
static const char *size_text(uint64_t bytes, char *text, size_t n)
{
	static const char * const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned int u = 0;
	double v;

	while (bytes && !(bytes & 1023) && u < 4) {
		bytes >>= 10;
		u++;
	}
	if (bytes < 100000) {
		snprintf(text, n, "%" PRIu64 " %s", bytes, units[u]);
		return text;
	}
	for (v = bytes; v >= 1024 && u < 4; u++)
		v /= 1024;
	snprintf(text, n, "%.1f %s", v, units[u]);
	return text;
}

static int print_pools(uint32_t node, const HsaNodeProperties *p)
{
	HsaMemoryProperties *m = calloc(p->NumMemoryBanks + 1, sizeof(*m));
	int err = !m || hsaKmtGetNodeMemoryProperties(node, p->NumMemoryBanks, m);
	char size[32];

	puts("  Memory:");
	for (uint32_t i = 0; !err && i < p->NumMemoryBanks; i++)
		printf("    %-24s %s\n", heap_name(m[i].HeapType),
		       size_text(m[i].SizeInBytes, size, sizeof(size)));
	free(m);
	return err;
}

/* Caches that differ only in whose they are are counted. */
static int print_caches(uint32_t node, const HsaNodeProperties *p)
{
	HsaCacheProperties *c = calloc(p->NumCaches + 1, sizeof(*c));
	int err = !c || hsaKmtGetNodeCacheProperties(node, p->CComputeIdLo, p->NumCaches, c);
	char name[32], size[32];

	if (p->NumCaches)
		puts("  Caches:");
	for (uint32_t i = 0; !err && i < p->NumCaches; i++) {
		uint32_t same = 0;
		bool first = true;

		for (uint32_t j = 0; j < p->NumCaches; j++) {
			if (c[j].CacheLevel != c[i].CacheLevel ||
			    c[j].CacheSize != c[i].CacheSize ||
			    c[j].CacheType.Value != c[i].CacheType.Value)
				continue;
			first = first && j >= i;
			same++;
		}
		if (!first)
			continue;
		snprintf(name, sizeof(name), "L%u %s%s", c[i].CacheLevel,
			 c[i].CacheType.ui32.Data ? "data " : "",
			 c[i].CacheType.ui32.Instruction ? "instruction" : "");
		/* The kernel says KiB; libhsakmt gives bytes for CPUs. */
		size_text(c[i].CacheType.ui32.CPU ? c[i].CacheSize : c[i].CacheSize * 1024ull,
			  size, sizeof(size));
		printf("    %-24s %u x %s, lines of %u B\n", name, same, size, c[i].CacheLineSize);
	}
	free(c);
	return err;
}

static int print_links(uint32_t node, const HsaNodeProperties *p)
{
	HsaIoLinkProperties *l = calloc(p->NumIOLinks + 1, sizeof(*l));
	int err = !l || hsaKmtGetNodeIoLinkProperties(node, p->NumIOLinks, l);

	if (p->NumIOLinks)
		puts("  Links:");
	for (uint32_t i = 0; !err && i < p->NumIOLinks; i++)
		printf("    to node %u: %s, weight %u%s\n", l[i].NodeTo, link_name(l[i].IoLinkType),
		       l[i].Weight, l[i].Flags.ui32.NoAtomics64bit ? ", no 64-bit atomics" : "");
	free(l);
	return err;
}

static void narrow(const HSAuint16 *wide, char *out, size_t size)
{
	size_t i = 0;

	for (; i + 1 < size && wide[i]; i++)
		out[i] = wide[i] < 128 ? wide[i] : '?';
	out[i] = '\0';
}

static void print_cpu(uint32_t node, const HsaNodeProperties *p)
{
	char name[HSA_PUBLIC_NAME_SIZE];

	narrow(p->MarketingName, name, sizeof(name));
	print_head("Node %u: CPU", node);
	FIELD("Name", "%s", name);
	FIELD("Cores", "%u", p->NumCPUCores);
	if (p->MaxEngineClockMhzCCompute)
		FIELD("Clock", "%u MHz", p->MaxEngineClockMhzCCompute);
}

static void print_limits(const HsaNodeProperties *p, const struct aql_dev_info *i)
{
	FIELD("Compute units", "%u in %u shader engines", i->cu_count,
	      p->NumArrays ? p->NumShaderBanks / p->NumArrays : p->NumShaderBanks);
	FIELD("SIMDs per CU", "%u, %u waves each", i->simd_per_cu, i->waves_per_simd);
	FIELD("Wavefront size", "%u", i->wave_size);
	FIELD("Work-group", "1024 work-items, %u KiB of LDS", i->lds_bytes / 1024);
	FIELD("Clock", "%u MHz, timestamps at %g MHz", i->max_clock_mhz, i->counter_hz * 1e-6);
	FIELD("Queues", "%u compute, %u SDMA engines of %u", p->NumCpQueues,
	      p->NumSdmaEngines + p->NumSdmaXgmiEngines, p->NumSdmaQueuesPerEngine);
	FIELD("Firmware", "compute %u, SDMA %u", p->EngineId.ui32.uCode,
	      p->uCodeEngineVersions.uCodeSDMA);
}

static int print_gpu(uint32_t node, unsigned int index, const HsaNodeProperties *p)
{
	struct aql_dev_info i;
	struct aql_dev *dev;
	HSAuint64 avail;
	int err = aql_open(index, &dev);

	if (err) {
		fprintf(stderr, "vkfd-info: GPU %u: %s\n", index, aql_strerror(err));
		return err;
	}
	aql_dev_get_info(dev, &i);
	print_head("Node %u: GPU %u", node, index);
	FIELD("Name", "%s%s%s", i.gfx, *i.name ? ", " : "", i.name);
	FIELD("ISA", "%s", i.isa);
	FIELD("UUID", "GPU-%016" PRIx64, i.unique_id);
	FIELD("PCI", "%04x:%02x:%02x.%x, %04x:%04x", i.pci_domain, i.pci_bus, i.pci_dev, i.pci_fn,
	      p->VendorId, p->DeviceId);
	FIELD("Kernel", "gpu_id %u, /dev/dri/renderD%d", i.gpu_id, p->DrmRenderMinor);
	print_limits(p, &i);
	if (hsaKmtAvailableMemory(node, &avail) == HSAKMT_STATUS_SUCCESS)
		FIELD("Free VRAM", "%" PRIu64 " MiB", avail >> 20);
	aql_close(dev);
	return 0;
}

static int print_all(const HsaSystemProperties *sys)
{
	unsigned int gpus = 0;
	int err = 0;

	for (uint32_t n = 0; n < sys->NumNodes && !err; n++) {
		HsaNodeProperties p;

		err = hsaKmtGetNodeProperties(n, &p);
		if (err)
			break;
		putchar('\n');
		if (p.NumFComputeCores)
			err = print_gpu(n, gpus++, &p);
		else
			print_cpu(n, &p);
		if (!err)
			err = print_pools(n, &p) || print_caches(n, &p) || print_links(n, &p);
	}
	if (!gpus && !err)
		return fail("there is no GPU");
	return err ? fail("the driver's description of the system is incomplete") : 0;
}

int main(int argc, char **argv)
{
	HsaSystemProperties sys;
	HsaVersionInfo v;
	int err;

	if (argc > 1) {
		if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
			fputs(usage_text, stdout);
			return 0;
		}
		if (!strcmp(argv[1], "--version")) {
			puts("vkfd-info " VKFD_VERSION);
			return 0;
		}
		fprintf(stderr, "vkfd-info: '%s': it takes no arguments; try 'vkfd-info --help'\n",
			argv[1]);
		return 2;
	}
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return fail(device_closed());
	if (hsaKmtGetVersion(&v) || hsaKmtAcquireSystemProperties(&sys))
		return fail("cannot read the topology");
	printf("KFD interface %u.%u, %u nodes\n", v.KernelInterfaceMajorVersion,
	       v.KernelInterfaceMinorVersion, sys.NumNodes);
	err = print_all(&sys);
	hsaKmtCloseKFD();
	if (fflush(stdout) || ferror(stdout))
		return fail("cannot write all of it");
	return err;
}
