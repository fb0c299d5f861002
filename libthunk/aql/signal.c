// SPDX-License-Identifier: MIT
/*
 * Signals: 64-byte blocks out of shared chunks, each with an event if it is to be slept on.
 *
 * A signal starts at a positive value and is done at 0 or below; the GPU decrements it, then
 * writes the event's id into its mailbox and interrupts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aql_int.h"

#define CHUNK_BYTES	(16 * AQL_PAGE)
#define CHUNK_SIGNALS	(CHUNK_BYTES / sizeof(struct amd_signal))

#define SPINS		2000u		/* before a waiter asks the kernel */
#define SLICE_MS	500u		/* longest sleep before everything is looked at again */

struct signal_chunk {
	struct signal_chunk *next;
	struct amd_signal *v;
	uint64_t used[CHUNK_SIGNALS / 64];
};

static struct signal_chunk *add_chunk(struct aql_dev *dev)
{
	struct signal_chunk *c = calloc(1, sizeof(*c));
	void *p;

	if (!c)
		return NULL;
	if (aql_alloc(dev, CHUNK_BYTES, AQL_MEM_HOST, &p)) {
		free(c);
		return NULL;
	}
	c->v = p;
	c->next = dev->chunks;
	dev->chunks = c;
	return c;
}

static struct amd_signal *take_from(struct signal_chunk *c)
{
	for (size_t w = 0; w < CHUNK_SIGNALS / 64; w++) {
		unsigned int b;

		if (!~c->used[w])
			continue;
		b = __builtin_ctzll(~c->used[w]);
		c->used[w] |= 1ull << b;
		return &c->v[w * 64 + b];
	}
	return NULL;
}

static struct amd_signal *take(struct aql_dev *dev)
{
	struct amd_signal *s = NULL;
	struct signal_chunk *c;

	pthread_mutex_lock(&dev->lock);
	for (c = dev->chunks; c && !s; c = c->next)
		s = take_from(c);
	if (!s) {
		c = add_chunk(dev);
		if (c)
			s = take_from(c);
	}
	pthread_mutex_unlock(&dev->lock);
	return s;
}

static void give_back(struct aql_dev *dev, struct amd_signal *s)
{
	pthread_mutex_lock(&dev->lock);
	for (struct signal_chunk *c = dev->chunks; c; c = c->next) {
		size_t i = s - c->v;

		if (s >= c->v && i < CHUNK_SIGNALS)
			c->used[i / 64] &= ~(1ull << i % 64);
	}
	pthread_mutex_unlock(&dev->lock);
}

void aql_signals_fini(struct aql_dev *dev)
{
	struct signal_chunk *c = dev->chunks;

	while (c) {
		struct signal_chunk *next = c->next;

		aql_free(dev, c->v);
		free(c);
		c = next;
	}
	dev->chunks = NULL;
}

/**
 * aql_signal_create() - make a signal
 * @value: what it starts at; a dispatch or barrier takes one off
 * @flags: 0, or AQL_SIGNAL_POLL for one without an event, whose waiters spin
 * @signal: the handle
 *
 * There are 4095 events in a process; signals that poll have no such limit.
 *
 * Return: 0 or a negative errno; -ENOSPC when there is no event left.
 */
AQL_API int aql_signal_create(struct aql_dev *dev, int64_t value, unsigned int flags,
			      struct aql_signal **signal)
{
	HsaEventDescriptor d = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = dev->node };
	struct aql_signal *s;
	int err;

	if (!signal || (flags & ~AQL_SIGNAL_POLL))
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->dev = dev;
	s->sig = take(dev);
	if (!s->sig) {
		free(s);
		return -ENOMEM;
	}
	memset(s->sig, 0, sizeof(*s->sig));
	if (!(flags & AQL_SIGNAL_POLL)) {
		err = aql_status(hsaKmtCreateEvent(&d, false, false, &s->event));
		if (err) {
			give_back(dev, s->sig);
			free(s);
			return err;
		}
		s->sig->mailbox = s->event->EventData.HWData2;
		s->sig->event_id = s->event->EventId;
	}
	s->sig->kind = AMD_SIGNAL_USER;
	__atomic_store_n(&s->sig->value, value, __ATOMIC_RELEASE);
	*signal = s;
	return 0;
}

/**
 * aql_signal_destroy() - destroy a signal that nothing in flight refers to
 */
AQL_API void aql_signal_destroy(struct aql_signal *signal)
{
	if (!signal)
		return;
	if (signal->event)
		hsaKmtDestroyEvent(signal->event);
	signal->sig->kind = 0;
	give_back(signal->dev, signal->sig);
	free(signal);
}

/**
 * aql_signal_load() - read a signal's value; what came before it on the GPU is visible then
 */
AQL_API int64_t aql_signal_load(const struct aql_signal *signal)
{
	return __atomic_load_n(&signal->sig->value, __ATOMIC_ACQUIRE);
}

/**
 * aql_signal_store() - set a signal's value, for using it again or for letting a barrier go
 */
AQL_API void aql_signal_store(struct aql_signal *signal, int64_t value)
{
	__atomic_store_n(&signal->sig->value, value, __ATOMIC_RELEASE);
}

/**
 * aql_signal_times() - when the packet that completed a signal began and ended
 * @start: GPU clock, see aql_clock(); 0 if nothing was recorded
 * @end: likewise
 */
AQL_API void aql_signal_times(const struct aql_signal *signal, uint64_t *start, uint64_t *end)
{
	if (start)
		*start = __atomic_load_n(&signal->sig->start_ts, __ATOMIC_ACQUIRE);
	if (end)
		*end = __atomic_load_n(&signal->sig->end_ts, __ATOMIC_ACQUIRE);
}

/* After a wait in which a fault event took part: note what it says. */
int aql_dev_take_fault(struct aql_dev *dev)
{
	const HsaMemoryAccessFault *f = &dev->fault_event->EventData.EventData.MemoryAccessFault;
	const HsaHwException *x = &dev->reset_event->EventData.EventData.HwException;
	int err = 0;

	pthread_mutex_lock(&dev->lock);
	if (!dev->lost && f->Flags != HSA_EVENTID_MEMORY_RECOVERABLE) {
		dev->lost = true;
		dev->fault.va = f->VirtualAddress;
		dev->fault.not_present = f->Failure.NotPresent;
		dev->fault.read_only = f->Failure.ReadOnly;
		dev->fault.no_execute = f->Failure.NoExecute;
	} else if (!dev->lost && x->MemoryLost) {
		dev->lost = true;
		dev->fault.reset = true;
	}
	if (dev->lost)
		err = dev->fault.reset ? -ECANCELED : -EFAULT;
	pthread_mutex_unlock(&dev->lock);
	return err;
}

static bool done(const struct aql_signal *s)
{
	return aql_signal_load(s) <= 0;
}

/* Sleep until something may have changed; the fault events are always among what wakes. */
static int sleep_once(struct aql_queue *q, struct aql_signal *s, uint32_t ms)
{
	struct aql_dev *dev = s->dev;
	HsaEvent *events[4] = { dev->fault_event, dev->reset_event };
	uint32_t n = 2;
	HSAKMT_STATUS status;

	if (s->event)
		events[n++] = s->event;
	else
		ms = 1;
	if (q)
		events[n++] = q->inactive->event;
	status = hsaKmtWaitOnMultipleEvents(events, n, false, ms);
	if (status == HSAKMT_STATUS_SUCCESS)
		return aql_dev_take_fault(dev);
	return status == HSAKMT_STATUS_WAIT_TIMEOUT ? 0 : aql_status(status);
}

/**
 * aql_wait() - wait until a signal is 0 or below
 * @queue: the queue whose work it is, so that its errors end the wait; may be NULL
 * @signal: the signal
 * @timeout_ns: AQL_FOREVER, or how long at most
 *
 * Spins for a moment, then sleeps.
 *
 * Return: 0; -ETIMEDOUT; -EFAULT or -ECANCELED, see aql_dev_fault(); or the error that stopped
 * the queue, see aql_queue_error().
 */
AQL_API int aql_wait(struct aql_queue *queue, struct aql_signal *signal, uint64_t timeout_ns)
{
	uint64_t start, gone;
	uint32_t ms;
	int err;

	for (unsigned int i = 0; i < SPINS; i++) {
		if (done(signal))
			return 0;
		__builtin_ia32_pause();
	}
	start = aql_now_ns();
	for (;;) {
		if (queue) {
			err = aql_queue_error(queue, NULL);
			if (err)
				return done(signal) ? 0 : err;
		}
		if (done(signal))
			return 0;
		gone = aql_now_ns() - start;
		if (timeout_ns != AQL_FOREVER && gone >= timeout_ns)
			return -ETIMEDOUT;
		ms = SLICE_MS;
		if (timeout_ns != AQL_FOREVER && (timeout_ns - gone) / 1000000 < ms)
			ms = (timeout_ns - gone) / 1000000 + 1;
		err = sleep_once(queue, signal, ms);
		if (err)
			return done(signal) ? 0 : err;
	}
}
