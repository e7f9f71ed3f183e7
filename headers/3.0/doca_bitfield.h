/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file doca_bitfield.h
 * @brief Bit fields. The header has no functions, types or constants; it is here for the programs
 * that include it.
 */
#ifndef DOCA_BITFIELD_H_
#define DOCA_BITFIELD_H_

#endif /* DOCA_BITFIELD_H_ */
