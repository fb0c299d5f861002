// SPDX-License-Identifier: MIT
/*
 * Performance counters, streaming monitor and PC sampling.
 *
 * The names are part of the library's ABI; libthunk implements none of them and says so.  What
 * the arguments are does not matter then.
 */
#include "thunk.h"

#define UNUSED	__attribute__((unused))

#define NOT_IMPLEMENTED(name, ...)				\
	THUNK_API HSAKMT_STATUS name(__VA_ARGS__)		\
	{							\
		THUNK_CHECK_OPEN();				\
		return HSAKMT_STATUS_NOT_IMPLEMENTED;		\
	}

NOT_IMPLEMENTED(hsaKmtPmcGetCounterProperties, UNUSED HSAuint32 NodeId,
		UNUSED HsaCounterProperties **CounterProperties)
NOT_IMPLEMENTED(hsaKmtPmcRegisterTrace, UNUSED HSAuint32 NodeId, UNUSED HSAuint32 NumberOfCounters,
		UNUSED HsaCounter *Counters, UNUSED HsaPmcTraceRoot *TraceRoot)
NOT_IMPLEMENTED(hsaKmtPmcUnregisterTrace, UNUSED HSAuint32 NodeId, UNUSED HSATraceId TraceId)
NOT_IMPLEMENTED(hsaKmtPmcAcquireTraceAccess, UNUSED HSAuint32 NodeId, UNUSED HSATraceId TraceId)
NOT_IMPLEMENTED(hsaKmtPmcReleaseTraceAccess, UNUSED HSAuint32 NodeId, UNUSED HSATraceId TraceId)
NOT_IMPLEMENTED(hsaKmtPmcStartTrace, UNUSED HSATraceId TraceId, UNUSED void *TraceBuffer,
		UNUSED HSAuint64 TraceBufferSizeBytes)
NOT_IMPLEMENTED(hsaKmtPmcQueryTrace, UNUSED HSATraceId TraceId)
NOT_IMPLEMENTED(hsaKmtPmcStopTrace, UNUSED HSATraceId TraceId)

NOT_IMPLEMENTED(hsaKmtSPMAcquire, UNUSED HSAuint32 PreferredNode)
NOT_IMPLEMENTED(hsaKmtSPMRelease, UNUSED HSAuint32 PreferredNode)
NOT_IMPLEMENTED(hsaKmtSPMSetDestBuffer, UNUSED HSAuint32 PreferredNode,
		UNUSED HSAuint32 SizeInBytes, UNUSED HSAuint32 *timeout,
		UNUSED HSAuint32 *SizeCopied, UNUSED void *DestMemoryAddress,
		UNUSED bool *isSPMDataLoss)

NOT_IMPLEMENTED(hsaKmtPcSamplingSupport, void)
NOT_IMPLEMENTED(hsaKmtPcSamplingQueryCapabilities, UNUSED HSAuint32 NodeId,
		UNUSED void *sample_info, UNUSED HSAuint32 sample_info_sz,
		UNUSED HSAuint32 *sz_needed)
NOT_IMPLEMENTED(hsaKmtPcSamplingCreate, UNUSED HSAuint32 node_id,
		UNUSED HsaPcSamplingInfo *sample_info, UNUSED HsaPcSamplingTraceId *traceId)
NOT_IMPLEMENTED(hsaKmtPcSamplingDestroy, UNUSED HSAuint32 NodeId,
		UNUSED HsaPcSamplingTraceId traceId)
NOT_IMPLEMENTED(hsaKmtPcSamplingStart, UNUSED HSAuint32 NodeId,
		UNUSED HsaPcSamplingTraceId traceId)
NOT_IMPLEMENTED(hsaKmtPcSamplingStop, UNUSED HSAuint32 NodeId,
		UNUSED HsaPcSamplingTraceId traceId)
