/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_bitfield.h
 * @brief Empty header for programs that include it. It declares nothing.
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#endif /* DOCA_BITFIELD_H_ */
