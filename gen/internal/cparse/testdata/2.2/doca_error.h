#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#ifdef __cplusplus
extern "C" {
#endif

/** @brief What a call returns. */
typedef enum doca_error {
	DOCA_SUCCESS,
	DOCA_ERROR_UNKNOWN,
	DOCA_ERROR_NOT_PERMITTED, /**< Not allowed now. */
	/**
	 * Someone else holds it.
	 */
	DOCA_ERROR_IN_USE,
} doca_error_t;

/** @brief The short name of an error. */
const char *doca_get_error_name(doca_error_t error);

/* Only for statements. */
#define DOCA_ERROR_PROPAGATE(r, t) do { if ((r) == DOCA_SUCCESS) r = t; } while (0)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
