// SPDX-License-Identifier: MIT
/* The calls of /dev/kfd (those of the render node: nth_drm.c), each with every failure. */
#include "nth.h"

/* ------------------------------------------------------------------ devices */

static int call_open(struct nth *t, uint64_t *token)
{
	(void)t;
	*token = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	return (int)*token < 0 ? errno : 0;
}

static int call_open_render(struct nth *t, uint64_t *token)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", (int)t->queue);
	*token = open(path, O_RDWR | O_CLOEXEC);
	return (int)*token < 0 ? errno : 0;
}

/* The test's only look at the topology, before anything fails. */
static void prepare_render(struct nth *t, uint64_t *token)
{
	(void)token;
	t->queue = node_prop(gpu_node(0), "drm_render_minor");
}

static void undo_fd(struct nth *t, uint64_t fd)
{
	(void)t;
	close(fd);
}

struct nth_pair {
	int kfd, drm;
};

static struct nth_pair pair;

static void prepare_pair(struct nth *t, uint64_t *token)
{
	(void)token;
	pair.kfd = kfd_open();
	pair.drm = open_render(gpu_node(0));
	t->g.id = node_gpu_id(gpu_node(0));
}

static int call_acquire_vm(struct nth *t, uint64_t *token)
{
	*token = 0;
	return acquire_vm(pair.kfd, pair.drm, t->g.id);
}

/* Calls that give a number or nothing, on a GPU that is open. */
#define SIMPLE(_name, _cmd, _type, ...) \
	static int call_##_name(struct nth *t, uint64_t *token) \
	{ \
		_type a = { __VA_ARGS__ }; \
		int err = kfd_err(t->g.kfd, _cmd, &a); \
		*token = 0; \
		return err; \
	}

SIMPLE(get_version, AMDKFD_IOC_GET_VERSION, struct kfd_ioctl_get_version_args, 0)
SIMPLE(memory_policy, AMDKFD_IOC_SET_MEMORY_POLICY, struct kfd_ioctl_set_memory_policy_args,
       .gpu_id = t->g.id, .default_policy = 1)
SIMPLE(clock_counters, AMDKFD_IOC_GET_CLOCK_COUNTERS, struct kfd_ioctl_get_clock_counters_args,
       .gpu_id = t->g.id)
SIMPLE(apertures, AMDKFD_IOC_GET_PROCESS_APERTURES, struct kfd_ioctl_get_process_apertures_args, 0)
SIMPLE(apertures_new, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW,
       struct kfd_ioctl_get_process_apertures_new_args,
       .kfd_process_device_apertures_ptr = (uintptr_t)nth_page(t, 0), .num_of_nodes = 1)
SIMPLE(scratch_va, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, struct kfd_ioctl_set_scratch_backing_va_args,
       .gpu_id = t->g.id, .va_addr = 0x100000)
SIMPLE(tile_config, AMDKFD_IOC_GET_TILE_CONFIG, struct kfd_ioctl_get_tile_config_args,
       .gpu_id = t->g.id, .tile_config_ptr = (uintptr_t)nth_page(t, 0),
       .macro_tile_config_ptr = (uintptr_t)nth_page(t, 1), .num_tile_configs = 40,
       .num_macro_tile_configs = 40)
SIMPLE(trap_handler, AMDKFD_IOC_SET_TRAP_HANDLER, struct kfd_ioctl_set_trap_handler_args,
       .gpu_id = t->g.id)
SIMPLE(xnack, AMDKFD_IOC_SET_XNACK_MODE, struct kfd_ioctl_set_xnack_mode_args, -1)
SIMPLE(available, AMDKFD_IOC_AVAILABLE_MEMORY, struct kfd_ioctl_get_available_memory_args,
       .gpu_id = t->g.id)

/* ------------------------------------------------------------------- queues */

static int queue_create(struct nth *t, uint32_t type, uint64_t *token)
{
	struct kfd_ioctl_create_queue_args a = t->ring;
	int err;

	a.queue_type = type;
	err = kfd_err(t->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &a);
	*token = a.queue_id;
	return err;
}

static int call_queue_aql(struct nth *t, uint64_t *token)
{
	return queue_create(t, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, token);
}

static int call_queue_pm4(struct nth *t, uint64_t *token)
{
	return queue_create(t, KFD_IOC_QUEUE_TYPE_COMPUTE, token);
}

static int call_queue_sdma(struct nth *t, uint64_t *token)
{
	return queue_create(t, KFD_IOC_QUEUE_TYPE_SDMA, token);
}

static int call_destroy_queue(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_destroy_queue_args a = { .queue_id = *token };

	return kfd_err(t->g.kfd, AMDKFD_IOC_DESTROY_QUEUE, &a);
}

static void undo_queue(struct nth *t, uint64_t token)
{
	ASSERT_EQ(0, call_destroy_queue(t, &token));
}

static void prepare_queue(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_queue_aql(t, token));
	t->queue = *token;
}

/* What @prepare made is there again after a failure, and goes after a success. */
static void undo_prepared_queue(struct nth *t, uint64_t token)
{
	(void)token;
	undo_queue(t, t->queue);
}

SIMPLE(update_queue, AMDKFD_IOC_UPDATE_QUEUE, struct kfd_ioctl_update_queue_args,
       .queue_id = t->queue, .ring_base_address = t->ring.ring_base_address,
       .ring_size = RING_BYTES, .queue_percentage = 50, .queue_priority = 3)
SIMPLE(cu_mask, AMDKFD_IOC_SET_CU_MASK, struct kfd_ioctl_set_cu_mask_args,
       .queue_id = t->queue, .num_cu_mask = 32, .cu_mask_ptr = (uintptr_t)nth_page(t, 3))
SIMPLE(gws, AMDKFD_IOC_ALLOC_QUEUE_GWS, struct kfd_ioctl_alloc_queue_gws_args,
       .queue_id = t->queue, .num_gws = 1)

/* A queue that is off the GPU, with no waves in its save area. */
static void prepare_saved_queue(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_create_queue_args a = t->ring;

	a.queue_percentage = 0;
	ASSERT_EQ(0, kfd_err(t->g.kfd, AMDKFD_IOC_CREATE_QUEUE, &a));
	*token = t->queue = a.queue_id;
}

SIMPLE(wave_state, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, struct kfd_ioctl_get_queue_wave_state_args,
       .queue_id = t->queue, .ctl_stack_address = t->ring.ctx_save_restore_address)
SIMPLE(runtime_enable, AMDKFD_IOC_RUNTIME_ENABLE, struct kfd_ioctl_runtime_enable_args,
       .mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK)
SIMPLE(runtime_disable, AMDKFD_IOC_RUNTIME_ENABLE, struct kfd_ioctl_runtime_enable_args, 0)

static void undo_runtime(struct nth *t, uint64_t token)
{
	ASSERT_EQ(0, call_runtime_disable(t, &token));
}

/* ------------------------------------------------------------------- events */

static int call_create_event(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_create_event_args a = { .event_type = KFD_IOC_EVENT_SIGNAL };
	int err = kfd_err(t->g.kfd, AMDKFD_IOC_CREATE_EVENT, &a);

	*token = a.event_id;
	return err;
}

static int call_destroy_event(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_destroy_event_args a = { .event_id = *token };

	return kfd_err(t->g.kfd, AMDKFD_IOC_DESTROY_EVENT, &a);
}

static void undo_event(struct nth *t, uint64_t token)
{
	ASSERT_EQ(0, call_destroy_event(t, &token));
}

static void prepare_event(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_create_event(t, token));
}

/* The page of events as well, which a process has but one of. */
static int call_event_page(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_create_event_args a = {
		.event_type = KFD_IOC_EVENT_SIGNAL, .event_page_offset = *token,
	};

	(void)t;
	return kfd_err(pair.kfd, AMDKFD_IOC_CREATE_EVENT, &a);
}

static void prepare_event_page(struct nth *t, uint64_t *token)
{
	struct gpu g;

	prepare_pair(t, token);
	g = (struct gpu){ .kfd = pair.kfd, .drm = pair.drm, .id = t->g.id };
	ASSERT_EQ(0, acquire_vm(g.kfd, g.drm, g.id));
	*token = mem_alloc(&g, GTT | RW, EVENT_BYTES).handle;
}

SIMPLE(set_event, AMDKFD_IOC_SET_EVENT, struct kfd_ioctl_set_event_args, .event_id = t->event)
SIMPLE(reset_event, AMDKFD_IOC_RESET_EVENT, struct kfd_ioctl_reset_event_args,
       .event_id = t->event)

/* Somebody who knows of an older age is woken at once, and told the new one. */
static int wait_events(struct nth *t, uint64_t age)
{
	struct kfd_event_data *d = nth_page(t, 4);
	struct kfd_ioctl_wait_events_args a = {
		.events_ptr = (uintptr_t)d, .num_events = 20, .timeout = 1,
	};
	int i;

	for (i = 0; i < 20; i++)
		d[i] = (struct kfd_event_data) {
			.event_id = t->event, .signal_event_data.last_event_age = age,
		};
	return kfd_err(t->g.kfd, AMDKFD_IOC_WAIT_EVENTS, &a);
}

static int call_wait_events(struct nth *t, uint64_t *token)
{
	*token = 0;
	return wait_events(t, 0);
}

static int call_wait_events_by_age(struct nth *t, uint64_t *token)
{
	*token = 0;
	return wait_events(t, 77);
}

static int call_smi(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_smi_events_args a = { .gpuid = t->g.id, .anon_fd = -1 };
	int err = kfd_err(t->g.kfd, AMDKFD_IOC_SMI_EVENTS, &a);

	*token = (int)a.anon_fd;
	return err;
}

/* ------------------------------------------------------------------- memory */

static int alloc(struct nth *t, uint32_t flags, size_t bytes, uint64_t offset, uint64_t *token)
{
	struct mem m;
	int err = mem_alloc_at(&t->g, flags, t->va, bytes, offset, &m);

	*token = m.handle;
	return err;
}

static int call_alloc_vram(struct nth *t, uint64_t *token)
{
	return alloc(t, VRAM | HOST, 4 * PAGE, 0, token);
}

static int call_alloc_gtt(struct nth *t, uint64_t *token)
{
	return alloc(t, GTT | RW, 4 * PAGE, 0, token);
}

static int call_alloc_userptr(struct nth *t, uint64_t *token)
{
	return alloc(t, USERPTR | RW, 4 * PAGE, (uintptr_t)t->anon, token);
}

static int call_alloc_doorbell(struct nth *t, uint64_t *token)
{
	return alloc(t, DOORBELL | RW, 8192, 0, token);
}

static int call_alloc_mmio(struct nth *t, uint64_t *token)
{
	return alloc(t, MMIO | RW, PAGE, 0, token);
}

static int call_free(struct nth *t, uint64_t *token)
{
	return mem_free(&t->g, *token);
}

static void prepare_vram(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_alloc_vram(t, token));
}

static void undo_free(struct nth *t, uint64_t token)
{
	ASSERT_EQ(0, mem_free(&t->g, token));
}

static int call_map(struct nth *t, uint64_t *token)
{
	*token = 0;
	return mem_map(&t->g, t->vram.handle);
}

static void undo_map(struct nth *t, uint64_t token)
{
	(void)token;
	ASSERT_EQ(0, mem_unmap(&t->g, t->vram.handle));
}

static void prepare_map(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_map(t, token));
}

static int call_unmap(struct nth *t, uint64_t *token)
{
	*token = 0;
	return mem_unmap(&t->g, t->vram.handle);
}

static int call_map_userptr(struct nth *t, uint64_t *token)
{
	*token = 0;
	return mem_map(&t->g, t->mapped.handle);
}

static void prepare_userptr(struct nth *t, uint64_t *token)
{
	ASSERT_EQ(0, call_alloc_userptr(t, token));
	t->mapped.handle = *token;
}

static void undo_userptr(struct nth *t, uint64_t token)
{
	(void)token;
	ASSERT_EQ(0, mem_unmap(&t->g, t->mapped.handle));
	undo_free(t, t->mapped.handle);
}

static int call_export(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_export_dmabuf_args a = { .handle = t->vram.handle, .flags = O_CLOEXEC };
	int err = kfd_err(t->g.kfd, AMDKFD_IOC_EXPORT_DMABUF, &a);

	*token = (int)a.dmabuf_fd;
	return err;
}

static int call_import(struct nth *t, uint64_t *token)
{
	struct kfd_ioctl_import_dmabuf_args a = {
		.va_addr = (uintptr_t)t->va, .gpu_id = t->g.id, .dmabuf_fd = t->dmabuf,
	};
	int err = kfd_err(t->g.kfd, AMDKFD_IOC_IMPORT_DMABUF, &a);

	*token = a.handle;
	return err;
}

SIMPLE(dmabuf_info, AMDKFD_IOC_GET_DMABUF_INFO, struct kfd_ioctl_get_dmabuf_info_args,
       .dmabuf_fd = t->dmabuf, .metadata_ptr = (uintptr_t)nth_page(t, 0), .metadata_size = 64)

/* ------------------------------------------------------------------ mappings */

static int call_mmap_bo(struct nth *t, uint64_t *token)
{
	void *p = mmap(NULL, t->vram.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->g.drm,
		       t->vram.offset);

	*token = (uintptr_t)p;
	return p == MAP_FAILED ? errno : 0;
}

static void undo_mmap(struct nth *t, uint64_t token)
{
	munmap((void *)token, t->vram.bytes);
}

static int call_mmap_doorbell(struct nth *t, uint64_t *token)
{
	void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, t->g.kfd,
		       KFD_MMAP_TYPE_DOORBELL | KFD_MMAP_GPU_ID(t->g.id));

	*token = (uintptr_t)p;
	return p == MAP_FAILED ? errno : 0;
}

static void undo_mmap_doorbell(struct nth *t, uint64_t token)
{
	(void)t;
	munmap((void *)token, 8192);
}

/* ------------------------------------------------------- shared virtual memory */

struct svm {
	struct kfd_ioctl_svm_args a;
	struct kfd_ioctl_svm_attribute attrs[2];
};
#define SVM_CALL	_IOC(_IOC_READ | _IOC_WRITE, 'K', 0x20, sizeof(struct svm))

static int svm_call(struct nth *t, uint32_t op, unsigned int page, uint32_t type, uint32_t value)
{
	struct svm s = {
		.a = { .start_addr = (uintptr_t)nth_page(t, page), .size = 2 * PAGE, .op = op,
		       .nattr = 2 },
		.attrs = { { KFD_IOCTL_SVM_ATTR_GRANULARITY, 9 }, { type, value } },
	};

	return kfd_err(t->g.kfd, SVM_CALL, &s);
}

/* Two pages in the middle of what @prepare made a range: it is cut in three. */
static int call_svm_set(struct nth *t, uint64_t *token)
{
	*token = 0;
	return svm_call(t, KFD_IOCTL_SVM_OP_SET_ATTR, 10, KFD_IOCTL_SVM_ATTR_SET_FLAGS,
			KFD_IOCTL_SVM_FLAG_GPU_EXEC);
}

static int call_svm_get(struct nth *t, uint64_t *token)
{
	*token = 0;
	return svm_call(t, KFD_IOCTL_SVM_OP_GET_ATTR, 10, KFD_IOCTL_SVM_ATTR_ACCESS, t->g.id);
}

/* The memory goes, and with it its ranges. */
static void undo_svm(struct nth *t, uint64_t token)
{
	(void)token;
	ASSERT_EQ(nth_page(t, 9), mmap(nth_page(t, 9), 4 * PAGE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE,
				       -1, 0));
}

static void prepare_svm(struct nth *t, uint64_t *token)
{
	struct svm s = {
		.a = { .start_addr = (uintptr_t)nth_page(t, 9), .size = 4 * PAGE,
		       .op = KFD_IOCTL_SVM_OP_SET_ATTR, .nattr = 1 },
		.attrs = { { KFD_IOCTL_SVM_ATTR_ACCESS, t->g.id } },
	};

	(void)token;
	ASSERT_EQ(0, kfd_err(t->g.kfd, SVM_CALL, &s));
}

SIMPLE(criu, AMDKFD_IOC_CRIU_OP, struct kfd_ioctl_criu_args, .op = KFD_CRIU_OP_PROCESS_INFO)

static void undo_criu(struct nth *t, uint64_t token)
{
	struct kfd_ioctl_criu_args a = { .op = KFD_CRIU_OP_UNPAUSE };

	(void)token;
	ASSERT_EQ(0, kfd_err(t->g.kfd, AMDKFD_IOC_CRIU_OP, &a));
}

SIMPLE(xnack_off, AMDKFD_IOC_SET_XNACK_MODE, struct kfd_ioctl_set_xnack_mode_args, 0)

/* -------------------------------------------------------- what is always refused */

#define REFUSED(_name, _cmd, _type, _err) \
	static int call_##_name(struct nth *t, uint64_t *token) \
	{ \
		_type a = { 0 }; \
		int err = kfd_err(t->g.kfd, _cmd, &a); \
		*token = 0; \
		return err == (_err) ? 0 : err ? err : EIO; \
	}

REFUSED(dbg_trap, AMDKFD_IOC_DBG_TRAP, struct kfd_ioctl_dbg_trap_args, EINVAL)
REFUSED(dbg_register, AMDKFD_IOC_DBG_REGISTER_DEPRECATED, struct kfd_ioctl_dbg_register_args,
	EPERM)
REFUSED(dbg_unregister, AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED,
	struct kfd_ioctl_dbg_unregister_args, EPERM)
REFUSED(dbg_address_watch, AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED,
	struct kfd_ioctl_dbg_address_watch_args, EPERM)
REFUSED(dbg_wave_control, AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED,
	struct kfd_ioctl_dbg_wave_control_args, EPERM)
SIMPLE(profiler, AMDKFD_IOC_PROFILER, struct kfd_ioctl_profiler_args,
       .op = KFD_IOC_PROFILER_VERSION)

/* A file has it once. */
static int call_create_process(struct nth *t, uint64_t *token)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), err;

	(void)t;
	*token = 0;
	if (fd < 0)
		return errno;
	err = kfd_err(fd, AMDKFD_IOC_CREATE_PROCESS, NULL);
	close(fd);
	return err;
}

static struct nth_case cases[] = {
	CASE(open, .fresh = true),
	CASE(create_process),
	CASE(open_render, FRESH(render)),
	CASE(acquire_vm, FRESH(pair)),
	CASE(event_page, FRESH(event_page)),
	CASE(get_version), CASE(memory_policy), CASE(clock_counters), CASE(apertures),
	CASE(apertures_new), CASE(scratch_va), CASE(tile_config), CASE(trap_handler),
	CASE(xnack), CASE(available),
	CASE(queue_aql, .undo = undo_queue),
	CASE(queue_pm4, .undo = undo_queue),
	CASE(queue_sdma, .undo = undo_queue),
	CASE(destroy_queue, .prepare = prepare_queue),
	CASE(update_queue, WITH(queue, prepared_queue)),
	CASE(cu_mask, WITH(queue, prepared_queue)),
	CASE(gws, WITH(queue, prepared_queue)),
	CASE(wave_state, WITH(saved_queue, prepared_queue)),
	CASE(runtime_enable, .undo = undo_runtime),
	CASE(runtime_disable),
	CASE(create_event, .undo = undo_event),
	CASE(destroy_event, .prepare = prepare_event),
	CASE(set_event), CASE(reset_event), CASE(wait_events),
	CASE(wait_events_by_age),
	CASE(smi, .undo = undo_fd),
	CASE(alloc_vram, .undo = undo_free),
	CASE(alloc_gtt, .undo = undo_free),
	CASE(alloc_userptr, .undo = undo_free),
	CASE(alloc_doorbell, .undo = undo_free),
	CASE(alloc_mmio, .undo = undo_free),
	CASE(free, .prepare = prepare_vram),
	CASE(map, .undo = undo_map),
	CASE(map_userptr, WITH(userptr, userptr)),
	CASE(unmap, .prepare = prepare_map),
	CASE(export, .undo = undo_fd),
	CASE(import, .undo = undo_free),
	CASE(dmabuf_info),
	CASE(mmap_bo, .undo = undo_mmap, .moves = true),
	CASE(mmap_doorbell, .undo = undo_mmap_doorbell, .moves = true),
	CASE(svm_set, WITH(svm, svm)),
	CASE(svm_get, WITH(svm, svm)),
	CASE(xnack_off),
	CASE(dbg_trap), CASE(criu, .undo = undo_criu), CASE(dbg_register),
	CASE(dbg_unregister), CASE(dbg_address_watch),
	CASE(dbg_wave_control), CASE(profiler),
};

#define COUNT(_a)	(sizeof(_a) / sizeof((_a)[0]))

static void add(struct nth_case *c, unsigned int n)
{
	for (; n; n--, c++) {
		c->test.fn = nth_run;
		th_add(&c->test);
	}
}

__attribute__((constructor)) static void add_cases(void)
{
	add(cases, COUNT(cases));
	add(nth_drm_cases, nth_drm_ncases);
}

/* The driver's own lists, so that nothing of them is forgotten. */
struct row {
	const char *name;
	unsigned long cmd;
};

#define VKFD_IOCTL(_name, _nr, _bytes, _fn)	{ #_name, AMDKFD_IOC_##_name },
#define VKFD_IOCTL_VAR	VKFD_IOCTL
#define VKFD_IOCTL_FILE	VKFD_IOCTL
#define VKFD_IOCTL_CRIU	VKFD_IOCTL
#define VDRM_IOCTL(_name, _fn)			{ #_name, DRM_IOCTL_AMDGPU_##_name },
#define VDRM_IOCTL_MASTER	VDRM_IOCTL
static const struct row rows[] = {
#include "../../kmod/kfd/ioctls.def"
#include "../../kmod/drm/ioctls.def"
};

/* With no failure at all, in any kernel: the calls succeed, and they are all there are. */
TEST(every_ioctl)
{
	unsigned int i;

	nth_once(cases, COUNT(cases));
	nth_once(nth_drm_cases, nth_drm_ncases);
	for (i = 0; i < COUNT(rows); i++)
		EXPECT_TRUE(nth_called(rows[i].cmd)) {
			TH_LOG("no case calls %s", rows[i].name);
		}
}

TEST_HARNESS_MAIN
