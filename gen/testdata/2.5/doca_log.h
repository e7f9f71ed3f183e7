/* The names and types of DOCA 2.5's doca_log.h, for tests. */
#ifndef G_doca_log_h
#define G_doca_log_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#include "doca_compat.h"
#include "doca_version.h"
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10,
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70,
};
struct doca_log_backend;
typedef void (*log_flush_callback)(char *);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend * backend, uint32_t level);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend * backend, uint32_t upper_limit);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend * backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend * backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_lower_limit(void);
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_upper_limit(void);
DOCA_EXPERIMENTAL doca_error_t doca_log_register_source(const char * source_name, int * source);
DOCA_EXPERIMENTAL doca_error_t doca_log_unregister_source(int source);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_file(FILE * fptr, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_buffer(char * buffer, size_t capacity, log_flush_callback handler, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_syslog(const char * name, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend * backend, uint32_t level);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_file_sdk(FILE * fptr, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_buffer_sdk(char * buffer, size_t capacity, log_flush_callback handler, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_with_syslog_sdk(const char * name, struct doca_log_backend ** backend);
DOCA_EXPERIMENTAL doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);
DOCA_EXPERIMENTAL uint32_t doca_log_level_get_global_sdk_limit(void);
DOCA_EXPERIMENTAL doca_error_t doca_log_backend_create_standard(void);
DOCA_EXPERIMENTAL doca_error_t doca_log(uint32_t level, int source, const char * fname, int line, const char * func, const char * format, ...);
#endif
