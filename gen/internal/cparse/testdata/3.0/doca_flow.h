/**
 * @file doca_flow.h
 * @brief Enumerations of one byte.
 */
#ifndef DOCA_FLOW_H_
#define DOCA_FLOW_H_

#include <stdint.h>

#define DOCA_PACKED __attribute__((packed))

/**
 * @brief Protocols.
 */
enum __attribute__((__packed__)) doca_flow_proto {
	DOCA_FLOW_PROTO_NONE = 0, /**< None. */
	DOCA_FLOW_PROTO_TCP,	  /**< TCP. */
};

/** @brief By means of a macro. */
enum DOCA_PACKED doca_flow_layer { DOCA_FLOW_LAYER_L2, DOCA_FLOW_LAYER_L3 = 1u << 1 };

/** @brief Behind the brace. */
enum doca_flow_way { DOCA_FLOW_WAY_IN, DOCA_FLOW_WAY_OUT } DOCA_PACKED;

/** @brief A header. */
struct doca_flow_header {
	enum doca_flow_proto proto; /**< One byte. */
	union {
		uint32_t v4;
		uint32_t v6[4];
	} addr;
	struct {
		uint16_t src;
		uint16_t dst;
	};
	uint8_t payload[]; /**< The rest. */
};

#endif
