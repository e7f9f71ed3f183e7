/* SPDX-License-Identifier: Apache-2.0 */
#include "args.hpp"

namespace storage {

arguments::arguments(const char *program, void *configuration)
{
	check(doca_argp_init(program, configuration), "doca_argp_init");
}

arguments::~arguments()
{
	try_to(doca_argp_destroy(), "doca_argp_destroy");
}

void arguments::add_param(const char *short_name, const char *long_name, const char *description, doca_argp_type type,
			  need need, bool is_multiple, doca_argp_param_cb_t callback)
{
	doca_argp_param *param = nullptr;

	check(doca_argp_param_create(&param), "doca_argp_param_create");
	if (short_name != nullptr)
		doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, description);
	doca_argp_param_set_callback(param, callback);
	doca_argp_param_set_type(param, type);
	if (need == need::mandatory)
		doca_argp_param_set_mandatory(param);
	if (is_multiple)
		doca_argp_param_set_multiplicity(param);
	check(doca_argp_register_param(param), "doca_argp_register_param");
}

void arguments::parse(int argc, char **argv)
{
	check(doca_argp_start(argc, argv), "Reading the arguments");
}

} /* namespace storage */
