// SPDX-License-Identifier: MIT
/*
 * mqds, hqds, rls and mem_limit in debugfs: the text of the real driver, and
 * in it what the queue was created with.
 */
#include "kfd_util.h"

#define RING_BYTES	(64 * KB)
#define DEBUGFS		"/sys/kernel/debug/kfd/"
#define TEXT_BYTES	(1 << 20)

/*
 * Of a generation: the first and the last line of a compute queue's 56 registers, how all of its
 * lines begin, two lines of the second queue of the first SDMA engine. Source: Linux, hqd_dump and
 * hqd_sdma_dump of amdgpu_amdkfd_gfx_v9.c, _v10_3.c, _v11.c and _v12.c; the registers' headers.
 */
struct places {
	long major;
	const char *first, *last, *all, *sdma, *sdma_later;
};

static const struct places all_places[] = {
	{ 9, "    0000c914:", "    0000c9d4:", "\n    0000c9", "00005000:", "000050a0:" },
	{ 10, "    0000c824:", "    0000c8e4:", "\n    0000c8", "00004fa0:", "00005040:" },
	{ 11, "    0000c824:", "    0000c8e4:", "\n    0000c8", "00004ce0:", "00004d84:" },
	{ 12, "    0000c824:", "    0000c8e4:", "\n    0000c8", "00004ce0:", "00004da0:" },
};

static const struct places *places_of(const struct gpu *g)
{
	const long long major = node_prop(g->node, "gfx_target_version") / 10000;
	size_t n;

	for (n = 0; n < sizeof(all_places) / sizeof(all_places[0]); n++)
		if (all_places[n].major == major)
			return &all_places[n];
	return NULL;
}

FIXTURE(debugfs) {
	struct gpu g;
	const struct places *places;
	char *p;
	struct kfd_ioctl_create_queue_args c;
	char *text;
};

FIXTURE_SETUP(debugfs)
{
	self->text = malloc(TEXT_BYTES);
	ASSERT_NE(NULL, (void *)self->text);
	gpu_open(&self->g);
	self->places = places_of(&self->g);
	ASSERT_NE(NULL, (void *)self->places);
	self->p = ring_memory(&self->g, RING_BYTES);
	self->c = ring_queue(&self->g, self->p, RING_BYTES, 11);
}

FIXTURE_TEARDOWN(debugfs)
{
	close(self->g.drm);
	close(self->g.kfd);
	free(self->text);
}

static bool slurp(const char *name, char *text)
{
	char path[64];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "%s", name);
	f = fopen(path, "r");
	if (!f)
		return false;
	n = fread(text, 1, TEXT_BYTES - 1, f);
	text[n] = 0;
	fclose(f);
	return true;
}

/* The part of @text that belongs to this process. */
static char *my_part(char *text)
{
	char head[64], *at, *next;

	snprintf(head, sizeof(head), "Process %d PASID 0x", getpid());
	at = strstr(text, head);
	if (!at)
		return NULL;
	next = strstr(at + 1, "\nProcess ");
	if (next)
		*next = 0;
	return at;
}

/* Dword @index of the hex dump that begins at @at, 8 to a line. */
static long dword(const char *at, unsigned int index)
{
	char line[16];
	const char *p;
	unsigned int skip;

	snprintf(line, sizeof(line), "%08x:", index / 8 * 32);
	p = strstr(at, line);
	if (!p)
		return -1;
	p += strlen(line);
	for (skip = index % 8; skip; skip--)
		strtoul(p, (char **)&p, 16);
	return strtoul(p, NULL, 16);
}

TEST_F(debugfs, mqds_of_an_aql_queue)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	uint64_t ring = c.ring_base_address >> 8;
	char head[64], *at;

	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	ASSERT_TRUE(slurp("mqds", self->text));
	at = my_part(self->text);
	ASSERT_NE(NULL, at);
	snprintf(head, sizeof(head), "  Compute queue on device %x\n", self->g.id);
	at = strstr(at, head);
	ASSERT_NE(NULL, at);
	EXPECT_EQ(0xc0310800l, dword(at, 0));
	/* The priority: from gfx10 on, that of the pipe alone */
	EXPECT_EQ(self->places->major == 9 ? 11l : 0l, dword(at, 134));
	EXPECT_EQ(2l, dword(at, 133));			/* of the pipe: high */
	EXPECT_EQ((long)(uint32_t)ring, dword(at, 136));
	EXPECT_EQ((long)(ring >> 32), dword(at, 137));
	EXPECT_EQ(13l, dword(at, 145) & 0x3f);		/* log2 of 16384 dwords, less one */
	EXPECT_EQ((long)(uint32_t)c.read_pointer_address, dword(at, 139));
	EXPECT_EQ((long)(c.doorbell_offset % 8192 / 4), dword(at, 143) >> 2);
}

/* Of a type that has its own layout: registers of the engine from the first dword on. */
TEST_F(debugfs, mqds_of_pm4_and_sdma_queues)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	uint64_t ring = c.ring_base_address >> 8;
	char head[64], *at;

	c.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE;
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	c.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	ASSERT_TRUE(slurp("mqds", self->text));
	at = my_part(self->text);
	ASSERT_NE(NULL, at);
	snprintf(head, sizeof(head), "  Compute queue on device %x\n", self->g.id);
	at = strstr(at, head);
	ASSERT_NE(NULL, at);
	EXPECT_EQ((long)(uint32_t)ring, dword(at, 136));
	snprintf(head, sizeof(head), "  SDMA queue on device %x\n", self->g.id);
	at = strstr(at, head);
	ASSERT_NE(NULL, at);
	EXPECT_EQ(1l | 14 << 1, dword(at, 0) & 0x3f);	/* RB_CNTL: on, 2^14 dwords */
	EXPECT_EQ((long)(uint32_t)ring, dword(at, 1));
	EXPECT_EQ((long)(ring >> 32), dword(at, 2));
}

TEST_F(debugfs, mqds_without_queues)
{
	char *at;

	ASSERT_TRUE(slurp("mqds", self->text));
	at = my_part(self->text);
	ASSERT_NE(NULL, at);
	EXPECT_EQ(NULL, strstr(at, "queue on device"));
}

/* A hardware queue appears with the queue, and goes with it. */
TEST_F(debugfs, hqds_come_and_go)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	struct kfd_ioctl_destroy_queue_args d = { 0 };
	char ring[16], node[64];
	unsigned int tries;
	bool there = false;

	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	snprintf(ring, sizeof(ring), " %08x", (uint32_t)(c.ring_base_address >> 8));
	snprintf(node, sizeof(node), ", gpu_id %x:\n", self->g.id);
	/* The scheduler's next pass maps it. */
	for (tries = 0; tries < 1000 * th_slow() && !there; tries++) {
		usleep(10000);
		ASSERT_TRUE(slurp("hqds", self->text));
		there = strstr(self->text, "  CP Pipe ") && strstr(self->text, ring);
	}
	EXPECT_TRUE(there);
	EXPECT_NE(NULL, strstr(self->text, node));
	EXPECT_NE(NULL, strstr(self->text, self->places->first));
	EXPECT_NE(NULL, strstr(self->text, self->places->last));
	d.queue_id = c.queue_id;
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_DESTROY_QUEUE, &d));
	ASSERT_TRUE(slurp("hqds", self->text));
	EXPECT_EQ(NULL, strstr(self->text, ring));
}

static unsigned int count(const char *text, const char *word)
{
	unsigned int n = 0;

	for (text = strstr(text, word); text; text = strstr(text + 1, word))
		n++;
	return n;
}

/* Every slot is shown, taken or not, as a driver shows it that reads registers. */
TEST_F(debugfs, hqds_have_all_slots)
{
	unsigned int engines = node_prop(self->g.node, "num_sdma_engines") +
			       node_prop(self->g.node, "num_sdma_xgmi_engines");
	unsigned int queues = node_prop(self->g.node, "num_sdma_queues_per_engine");
	char node[64], line[64], *at, *next;

	ASSERT_TRUE(slurp("hqds", self->text));
	snprintf(node, sizeof(node), ", gpu_id %x:\n", self->g.id);
	at = strstr(self->text, node);
	ASSERT_NE(NULL, at);
	next = strstr(at, "\nNode ");
	if (next)
		*next = 0;
	EXPECT_EQ(node_prop(self->g.node, "num_cp_queues"), count(at, "\n  CP Pipe "));
	EXPECT_EQ(node_prop(self->g.node, "num_cp_queues") * 7, count(at, self->places->all));
	EXPECT_EQ(engines * queues, count(at, "\n  SDMA Engine "));
	snprintf(line, sizeof(line), "\n  SDMA Engine 0, RLC 1\n    %s", self->places->sdma);
	at = strstr(at, line);
	ASSERT_NE(NULL, at);
	snprintf(line, sizeof(line), "\n    %s", self->places->sdma_later);
	EXPECT_NE(NULL, strstr(at, line));
}

TEST_F(debugfs, hqd_of_an_sdma_queue)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	char ring[32], *at, *end;

	c.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	ASSERT_TRUE(slurp("hqds", self->text));
	snprintf(ring, sizeof(ring), " %08x %08x ", (uint32_t)(c.ring_base_address >> 8),
		 (uint32_t)(c.ring_base_address >> 40));
	at = strstr(self->text, ring);
	ASSERT_NE(NULL, at);
	*at = 0;
	end = strrchr(self->text, ':');
	ASSERT_NE(NULL, end);
	/* RB_CNTL: on, 2^14 dwords; RB_BASE is behind it */
	EXPECT_EQ(1ul | 14 << 1, strtoul(end + 1, NULL, 16) & 0x3f);
}

TEST_F(debugfs, runlist)
{
	struct kfd_ioctl_create_queue_args c = self->c;
	char node[64], *at;

	snprintf(node, sizeof(node), ", gpu_id %x:\n", self->g.id);
	ASSERT_EQ(0, kfd_err(self->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &c));
	ASSERT_TRUE(slurp("rls", self->text));
	at = strstr(self->text, node);
	ASSERT_NE(NULL, at);
	/* From gfx11 on, the scheduler is told by messages. */
	if (self->places->major >= 11) {
		at = strchr(at, '\n');
		ASSERT_NE(NULL, at);
		EXPECT_EQ(0, strncmp(at, "\n  No active runlist\n", 21));
		return;
	}
	EXPECT_NE(NULL, strstr(at, " c005a200"));	/* MAP_QUEUES, 7 dwords */
	EXPECT_EQ(0xc000a100l, dword(at, 0) & 0xffc0ff00);	/* MAP_PROCESS */
}

TEST_F(debugfs, mem_limit)
{
	unsigned long long used, limit, used2, limit2;

	ASSERT_TRUE(slurp("mem_limit", self->text));
	ASSERT_EQ(4, sscanf(self->text, "System mem used %lluM out of %lluM\n"
			    "TTM mem used %lluM out of %lluM", &used, &limit, &used2, &limit2));
	EXPECT_LT(used, limit);
	EXPECT_LT(0ull, limit);
	/* It is what buffers of system memory take. */
	mem_alloc(&self->g, GTT | RW, 64 * MB);
	ASSERT_TRUE(slurp("mem_limit", self->text));
	ASSERT_EQ(1, sscanf(self->text, "System mem used %lluM", &used2));
	EXPECT_EQ(used + 64, used2);
	mem_alloc(&self->g, VRAM | HOST, 64 * MB);
	ASSERT_TRUE(slurp("mem_limit", self->text));
	ASSERT_EQ(1, sscanf(self->text, "System mem used %lluM", &used));
	EXPECT_EQ(used2, used);
}

TEST_HARNESS_MAIN
