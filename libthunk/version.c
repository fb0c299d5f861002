// SPDX-License-Identifier: MIT
/* The version of the interface that the kernel speaks. */
#include "thunk.h"

THUNK_API HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *VersionInfo)
{
	THUNK_CHECK_OPEN();
	if (!VersionInfo)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*VersionInfo = thunk.version;
	return HSAKMT_STATUS_SUCCESS;
}
