/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_MESSAGE_HPP_
#define STORAGE_MESSAGE_HPP_

/* The control messages, big-endian: length of the rest, type, id, correlation id, payload. */

#include "channel.hpp"

namespace storage {

enum class message_type : uint32_t {
	error_response = 0,
	query_storage_request = 1,
	query_storage_response = 2,
	init_storage_request = 3,
	init_storage_response = 4,
	create_rdma_connection_request = 5,
	create_rdma_connection_response = 6,
	start_storage_request = 7,
	start_storage_response = 8,
	stop_storage_request = 9,
	stop_storage_response = 10,
	shutdown_request = 11,
	shutdown_response = 12,
};

const char *name_of(message_type type) noexcept;

struct message {
	message_type type;
	uint32_t id;
	uint32_t correlation_id;
	bytes payload;
};

size_t message_length(const uint8_t *at, size_t len);
bytes encode(const message &message);
message decode(const bytes &data);

struct error_payload {
	doca_error_t code;
	std::string text;

	bytes encode() const;
	static error_payload decode(const bytes &data);
};

struct storage_size {
	uint64_t total_size;
	uint32_t block_size;

	bytes encode() const;
	static storage_size decode(const bytes &data);
};

struct init_storage {
	uint32_t num_transactions;
	uint32_t num_cores;
	bytes mmap;

	bytes encode() const;
	static init_storage decode(const bytes &data);
};

enum class rdma_role : uint32_t {
	data = 0,
	control = 1,
};

struct rdma_details {
	uint32_t index;
	rdma_role role;
	bytes details;

	bytes encode() const;
	static rdma_details decode(const bytes &data);
};

/* One side of a control channel: makes requests, or answers them. */
class control {
public:
	explicit control(channel &channel) : m_channel{channel}
	{
	}

	/* Sends a request and returns its response's payload. Throws what an error response says. */
	template <typename Step>
	bytes request(message_type type, uint32_t correlation_id, bytes payload, std::chrono::milliseconds limit, Step step)
	{
		std::optional<bytes> response;
		const message request{type, m_next_id++, correlation_id, std::move(payload)};

		m_channel.send(encode(request));
		wait_until(std::string{"the response to "} + name_of(type), limit, step, [&] {
			response = m_channel.next();
			return response.has_value();
		});
		return accept(request, decode(*response));
	}

	/* Waits for the next request. */
	template <typename Step>
	message wait_request(const char *what, std::chrono::milliseconds limit, Step step)
	{
		std::optional<bytes> request;

		wait_until(what, limit, step, [&] {
			request = m_channel.next();
			return request.has_value();
		});
		return decode(*request);
	}

	void respond(const message &request, bytes payload);
	void refuse(const message &request, doca_error_t code, const std::string &text);

private:
	static bytes accept(const message &request, const message &response);

	channel &m_channel;
	uint32_t m_next_id{0};
};

} /* namespace storage */

#endif /* STORAGE_MESSAGE_HPP_ */
