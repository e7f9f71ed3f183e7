#include <doca_error.h>
struct doca_pcc_dev_attr;
struct doca_pcc;
/** Sets. */
doca_error_t doca_pcc_set(struct doca_pcc *pcc, const struct doca_pcc_dev_attr *attr);
doca_error_t doca_pcc_create(struct doca_pcc **pcc);
