#include "api.h"

#include <string.h>

struct api api;

static const char *const names[] = {
#define X(f) #f,
	API_FUNCTIONS(X)
#undef X
	NULL,
};

const char *api_function(size_t i)
{
	return names[i];
}

void api_bind(void *const *functions)
{
	memcpy(&api, functions, sizeof(api));
}

doca_error_t api_open_first_device(struct doca_dev **dev)
{
	struct doca_devinfo **list;
	uint32_t n;
	doca_error_t rc = api.doca_devinfo_create_list(&list, &n);

	if (rc != DOCA_SUCCESS)
		return rc;
	rc = api.doca_dev_open(list[0], dev);
	api.doca_devinfo_destroy_list(list);
	return rc;
}
