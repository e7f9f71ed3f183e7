/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMU_RDMA_DEV_H_
#define EMU_RDMA_DEV_H_

/*
 * The functions of doca_dpa_dev_rdma.h.
 */

#include "core/emulator.h"

/* Code on the DPA may call them from now on. */
EMU_LOCAL void emu_rdma_dev_install(void);

#endif /* EMU_RDMA_DEV_H_ */
