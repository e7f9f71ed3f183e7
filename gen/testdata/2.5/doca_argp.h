/* The names and types of DOCA 2.5's doca_argp.h, for tests. */
#ifndef G_doca_argp_h
#define G_doca_argp_h
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdarg.h>
#include <linux/types.h>
#include "doca_error.h"
#include "doca_types.h"
#include "doca_compat.h"
#include "doca_version.h"
#include "doca_log.h"
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0,
	DOCA_ARGP_TYPE_STRING = 1,
	DOCA_ARGP_TYPE_INT = 2,
	DOCA_ARGP_TYPE_BOOLEAN = 3,
	DOCA_ARGP_TYPE_JSON_OBJ = 4,
};
struct doca_argp_param;
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int, char **);
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);
DOCA_EXPERIMENTAL void doca_argp_usage(void);
DOCA_EXPERIMENTAL doca_error_t doca_argp_init(const char * program_name, void * program_config);
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_param(struct doca_argp_param * input_param);
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);
DOCA_EXPERIMENTAL doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);
DOCA_EXPERIMENTAL doca_error_t doca_argp_start(int argc, char ** argv);
DOCA_EXPERIMENTAL doca_error_t doca_argp_destroy(void);
DOCA_EXPERIMENTAL void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);
DOCA_EXPERIMENTAL void doca_argp_set_grpc_program(void);
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_create(struct doca_argp_param ** param);
DOCA_EXPERIMENTAL void doca_argp_param_set_short_name(struct doca_argp_param * param, const char * name);
DOCA_EXPERIMENTAL void doca_argp_param_set_long_name(struct doca_argp_param * param, const char * name);
DOCA_EXPERIMENTAL void doca_argp_param_set_arguments(struct doca_argp_param * param, const char * arguments);
DOCA_EXPERIMENTAL void doca_argp_param_set_description(struct doca_argp_param * param, const char * description);
DOCA_EXPERIMENTAL void doca_argp_param_set_callback(struct doca_argp_param * param, doca_argp_param_cb_t callback);
DOCA_EXPERIMENTAL void doca_argp_param_set_type(struct doca_argp_param * param, enum doca_argp_type type);
DOCA_EXPERIMENTAL void doca_argp_param_set_mandatory(struct doca_argp_param * param);
DOCA_EXPERIMENTAL void doca_argp_param_set_cli_only(struct doca_argp_param * param);
DOCA_EXPERIMENTAL void doca_argp_param_set_multiplicity(struct doca_argp_param * param);
DOCA_EXPERIMENTAL doca_error_t doca_argp_param_destroy(struct doca_argp_param * param);
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_grpc_addr(const char ** address);
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_log_level(int * log_level);
DOCA_EXPERIMENTAL doca_error_t doca_argp_get_sdk_log_level(int * log_level);
#endif
