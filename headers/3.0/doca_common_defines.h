/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#include <doca_compat.h>
#include <doca_types.h>

#endif /* DOCA_COMMON_DEFINES_H_ */
