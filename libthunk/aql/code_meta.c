// SPDX-License-Identifier: MIT
/*
 * Metadata of code objects v3 to v6: a MessagePack map whose "amdhsa.kernels" is an array of
 * kernel maps.  Keys that are not needed are passed over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_meta.h"
#include "msgpack.h"

#define MAX_KERNELS	65536u
#define MAX_ARGS	4096u
#define MAX_KERNARG	65536u

static const struct {
	const char *name;
	enum hidden_kind kind;
	uint8_t size;
} hidden_kinds[] = {
	{ "hidden_block_count_x", HIDDEN_COUNT_X, 4 },
	{ "hidden_block_count_y", HIDDEN_COUNT_Y, 4 },
	{ "hidden_block_count_z", HIDDEN_COUNT_Z, 4 },
	{ "hidden_dynamic_lds_size", HIDDEN_DYNAMIC_LDS, 4 },
	{ "hidden_global_offset_x", HIDDEN_OFFSET_X, 8 },
	{ "hidden_global_offset_y", HIDDEN_OFFSET_Y, 8 },
	{ "hidden_global_offset_z", HIDDEN_OFFSET_Z, 8 },
	{ "hidden_grid_dims", HIDDEN_DIMS, 2 },
	{ "hidden_group_size_x", HIDDEN_GROUP_X, 2 },
	{ "hidden_group_size_y", HIDDEN_GROUP_Y, 2 },
	{ "hidden_group_size_z", HIDDEN_GROUP_Z, 2 },
	{ "hidden_private_base", HIDDEN_PRIVATE_BASE, 4 },
	{ "hidden_queue_ptr", HIDDEN_QUEUE_PTR, 8 },
	{ "hidden_remainder_x", HIDDEN_REMAINDER_X, 2 },
	{ "hidden_remainder_y", HIDDEN_REMAINDER_Y, 2 },
	{ "hidden_remainder_z", HIDDEN_REMAINDER_Z, 2 },
	{ "hidden_shared_base", HIDDEN_SHARED_BASE, 4 },
};

/* One argument as read, before it is known whose it is. */
struct raw_arg {
	struct mp_value name, type, kind;
	uint64_t offset, size, align;
};

static char *copy_string(const struct mp_value *v)
{
	return v->type == MP_STR ? strndup(v->s, v->len) : strdup("");
}

/* Read key and value; the value's contents are still to be read if it is a container. */
static int next_pair(struct mp_reader *r, struct mp_value *key, struct mp_value *val)
{
	int err = mp_next(r, key);

	if (!err && key->type != MP_STR)
		err = -EBADMSG;
	return err ? err : mp_next(r, val);
}

static int read_arg(struct mp_reader *r, uint32_t pairs, struct raw_arg *a)
{
	struct mp_value k, v;
	int err = 0;

	memset(a, 0, sizeof(*a));
	for (uint32_t i = 0; i < pairs && !err; i++) {
		err = next_pair(r, &k, &v);
		if (err)
			break;
		if (mp_is(&k, ".name"))
			a->name = v;
		else if (mp_is(&k, ".type_name"))
			a->type = v;
		else if (mp_is(&k, ".value_kind"))
			a->kind = v;
		else if (mp_is(&k, ".offset") && v.type == MP_UINT)
			a->offset = v.u;
		else if (mp_is(&k, ".size") && v.type == MP_UINT)
			a->size = v.u;
		else if (mp_is(&k, ".pointee_align") && v.type == MP_UINT)
			a->align = v.u;
		err = mp_skip_rest(r, &v);
	}
	if (!err && (a->offset > MAX_KERNARG || a->size > MAX_KERNARG))
		err = -EBADMSG;
	return err;
}

static bool is_hidden(const struct mp_value *kind)
{
	return kind->type == MP_STR && kind->len > 7 && !memcmp(kind->s, "hidden_", 7);
}

static void add_hidden(struct meta_kernel *k, const struct raw_arg *a)
{
	struct meta_hidden *h = &k->hidden[k->nr_hidden];

	for (size_t i = 0; i < sizeof(hidden_kinds) / sizeof(hidden_kinds[0]); i++) {
		if (!mp_is(&a->kind, hidden_kinds[i].name))
			continue;
		/* a width that is not the kind's would be filled in wrongly: leave it 0 */
		if (a->size != hidden_kinds[i].size)
			return;
		h->kind = hidden_kinds[i].kind;
		h->offset = a->offset;
		h->size = a->size;
		k->nr_hidden++;
		return;
	}
}

static int add_explicit(struct meta_kernel *k, struct aql_arg_info *args, const struct raw_arg *a)
{
	struct aql_arg_info *out = &args[k->info.nr_args];

	out->name = copy_string(&a->name);
	out->type = copy_string(&a->type);
	out->offset = a->offset;
	out->size = a->size;
	if (mp_is(&a->kind, "by_value"))
		out->kind = AQL_ARG_VALUE;
	else if (mp_is(&a->kind, "global_buffer"))
		out->kind = AQL_ARG_BUFFER;
	else if (mp_is(&a->kind, "dynamic_shared_pointer"))
		out->kind = AQL_ARG_LOCAL;
	else
		out->kind = AQL_ARG_OTHER;
	k->local_align[k->info.nr_args] = out->kind == AQL_ARG_LOCAL ? a->align : 0;
	k->info.nr_args++;
	return out->name && out->type ? 0 : -ENOMEM;
}

static int read_args(struct mp_reader *r, uint32_t n, struct meta_kernel *k)
{
	struct aql_arg_info *args;
	struct mp_value v;
	struct raw_arg a;
	int err = 0;

	if (n > MAX_ARGS || k->info.args)
		return -EBADMSG;
	args = calloc(n + 1, sizeof(*args));
	k->info.args = args;
	k->local_align = calloc(n + 1, sizeof(*k->local_align));
	k->hidden = calloc(n + 1, sizeof(*k->hidden));
	if (!args || !k->local_align || !k->hidden)
		return -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		err = mp_next(r, &v);
		if (!err && v.type != MP_MAP)
			err = -EBADMSG;
		if (!err)
			err = read_arg(r, v.len, &a);
		if (err)
			break;
		if (is_hidden(&a.kind))
			add_hidden(k, &a);
		else
			err = add_explicit(k, args, &a);
	}
	return err;
}

static int read_dims(struct mp_reader *r, uint32_t n, uint32_t dims[3])
{
	struct mp_value v;
	int err = 0;

	if (n != 3)
		return -EBADMSG;
	for (uint32_t i = 0; i < n && !err; i++) {
		err = mp_next(r, &v);
		if (!err && v.type != MP_UINT)
			err = -EBADMSG;
		dims[i] = v.u;
	}
	return err;
}

static int set_string(char **to, const struct mp_value *v)
{
	free(*to);
	*to = copy_string(v);
	return *to ? 0 : -ENOMEM;
}

/* One field of a kernel; *used says whether a container's contents were read. */
static int kernel_field(struct mp_reader *r, struct meta_kernel *k, const struct mp_value *key,
			const struct mp_value *v, bool *used)
{
	const struct {
		const char *name;
		uint32_t *to;
	} numbers[] = {
		{ ".group_segment_fixed_size", &k->info.group_bytes },
		{ ".kernarg_segment_size", &k->info.kernarg_bytes },
		{ ".max_flat_workgroup_size", &k->info.max_group },
		{ ".private_segment_fixed_size", &k->info.private_bytes },
		{ ".sgpr_count", &k->info.sgprs },
		{ ".vgpr_count", &k->info.vgprs },
		{ ".wavefront_size", &k->info.wave_size },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!mp_is(key, numbers[i].name))
			continue;
		if (v->type != MP_UINT || v->u > UINT32_MAX)
			return -EBADMSG;
		*numbers[i].to = v->u;
		return 0;
	}
	if (mp_is(key, ".name"))
		return set_string((char **)&k->info.name, v);
	if (mp_is(key, ".symbol"))
		return set_string(&k->symbol, v);
	if (mp_is(key, ".uses_dynamic_stack"))
		k->dynamic_stack = v->type == MP_BOOL && v->u;
	*used = v->type == MP_ARRAY &&
		(mp_is(key, ".args") || mp_is(key, ".reqd_workgroup_size"));
	if (!*used)
		return 0;
	return mp_is(key, ".args") ? read_args(r, v->len, k) :
				     read_dims(r, v->len, k->info.reqd_group);
}

/* Arguments lie in the block and the block is of a sane size. */
static int check_kernel(const struct meta_kernel *k)
{
	if (!k->info.name || !k->symbol || k->info.kernarg_bytes > MAX_KERNARG)
		return -EBADMSG;
	for (uint32_t i = 0; i < k->info.nr_args; i++)
		if (k->info.args[i].offset + k->info.args[i].size > k->info.kernarg_bytes)
			return -EBADMSG;
	for (uint32_t i = 0; i < k->nr_hidden; i++)
		if (k->hidden[i].offset + k->hidden[i].size > k->info.kernarg_bytes)
			return -EBADMSG;
	return 0;
}

static int read_kernel(struct mp_reader *r, struct meta_kernel *k)
{
	struct mp_value key, v;
	uint32_t pairs;
	int err = mp_next(r, &v);

	if (!err && v.type != MP_MAP)
		err = -EBADMSG;
	pairs = v.len;
	for (uint32_t i = 0; i < pairs && !err; i++) {
		bool used = false;

		err = next_pair(r, &key, &v);
		if (!err)
			err = kernel_field(r, k, &key, &v, &used);
		if (!err && !used)
			err = mp_skip_rest(r, &v);
	}
	return err ? err : check_kernel(k);
}

static int read_kernels(struct mp_reader *r, uint32_t n, struct meta_code *out)
{
	int err = 0;

	/* a kernel is a byte at least */
	if (n > MAX_KERNELS || n > (size_t)(r->end - r->p) || out->kernels)
		return -EBADMSG;
	out->kernels = calloc(n + 1, sizeof(*out->kernels));
	if (!out->kernels)
		return -ENOMEM;
	for (out->nr_kernels = 0; out->nr_kernels < n && !err; )
		err = read_kernel(r, &out->kernels[out->nr_kernels++]);
	return err;
}

/**
 * meta_parse() - read the metadata of a code object
 *
 * Return: 0 and what meta_free() takes, -EBADMSG if it is damaged, or -ENOMEM.
 */
int meta_parse(const void *msgpack, size_t size, struct meta_code *out)
{
	struct mp_reader r = { .p = msgpack, .end = (const uint8_t *)msgpack + size };
	struct mp_value top, key, v;
	int err;

	memset(out, 0, sizeof(*out));
	err = mp_next(&r, &top);
	if (!err && top.type != MP_MAP)
		err = -EBADMSG;
	for (uint32_t i = 0; !err && i < top.len; i++) {
		err = next_pair(&r, &key, &v);
		if (err)
			break;
		if (mp_is(&key, "amdhsa.kernels") && v.type == MP_ARRAY) {
			err = read_kernels(&r, v.len, out);
			continue;
		}
		if (mp_is(&key, "amdhsa.target") && v.type == MP_STR)
			snprintf(out->target, sizeof(out->target), "%.*s", (int)v.len, v.s);
		err = mp_skip_rest(&r, &v);
	}
	if (err)
		meta_free(out);
	return err;
}

void meta_free(struct meta_code *m)
{
	for (uint32_t i = 0; i < m->nr_kernels; i++) {
		struct meta_kernel *k = &m->kernels[i];

		for (uint32_t a = 0; a < k->info.nr_args; a++) {
			free((char *)k->info.args[a].name);
			free((char *)k->info.args[a].type);
		}
		free((struct aql_arg_info *)k->info.args);
		free((char *)k->info.name);
		free(k->symbol);
		free(k->local_align);
		free(k->hidden);
	}
	free(m->kernels);
	memset(m, 0, sizeof(*m));
}
