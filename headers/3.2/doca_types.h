/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

/** @brief An IP address of either family. Its size is 20 bytes. */
struct doca_ip {
	uint32_t ip[4]; /**< The address. One of IPv4 is in the last word alone. */
	uint8_t is_ipv4; /**< 1: an address of IPv4; 0: one of IPv6. */
};
