/* SPDX-License-Identifier: Apache-2.0 */
/* What 3.2 has added to this header. */

enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4,
	/**< A profiler shows the task as a range. Since 3.2. */
	DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8,
	/**< The profiler has seen the task. Programs leave it alone. Since 3.2. */
};
