/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

enum doca_error {
	DOCA_ERROR_DEVICE_FATAL_ERROR = 31, /**< The device had a fatal error. Since 3.2. */
};
