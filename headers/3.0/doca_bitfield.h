/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_bitfield.h
 * @brief The functions that convert between host and network byte order. It declares nothing of its own.
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#ifdef __linux__
#include <arpa/inet.h>
#endif

#include <doca_types.h>

#endif /* DOCA_BITFIELD_H_ */
