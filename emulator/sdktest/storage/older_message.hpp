/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_OLDER_MESSAGE_HPP_
#define STORAGE_OLDER_MESSAGE_HPP_

/* The control messages of the older variant, big-endian: length of the whole (16 bits), type (16 bits), correlation id, payload. */

#include "channel.hpp"
#include "message.hpp"

namespace storage::older {

enum class message_type : uint16_t {
	response = 0,
	configure_data_path = 1,
	create_rdma_connection_request = 2,
	create_rdma_connection_response = 3,
	start_data_path_connections = 4,
	start_storage = 5,
	destroy_objects = 6,
};

const char *name_of(message_type type) noexcept;

struct message {
	message_type type;
	uint32_t correlation_id;
	bytes payload;
};

constexpr size_t max_message_size = 1024;

size_t message_length(const uint8_t *at, size_t len);
bytes encode(const message &message);
message decode(const bytes &data);

struct configure_data_path {
	uint32_t buffer_count; /* of all cores */
	uint32_t buffer_size;
	uint32_t batch_size;
	bytes mmap;

	bytes encode() const;
	static configure_data_path decode(const bytes &data);
};

struct rdma_details {
	rdma_role role;
	bytes details;

	bytes encode() const;
	static rdma_details decode(const bytes &data);
};

/* One side of a control channel. */
class control {
public:
	explicit control(channel &channel) : m_channel{channel}
	{
	}

	/* Sends a request and returns the payload of the answer, which is of another type for RDMA connections alone. */
	template <typename Step>
	bytes request(message_type type, uint32_t correlation_id, bytes payload, std::chrono::milliseconds limit, Step step)
	{
		std::optional<bytes> answer;

		m_channel.send(encode(message{type, correlation_id, std::move(payload)}));
		wait_until(std::string{"the response to "} + name_of(type), limit, step, [&] {
			answer = m_channel.next();
			return answer.has_value();
		});
		return accept(type, correlation_id, decode(*answer));
	}

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

	/* The answer to a request: to that of an RDMA connection the details, else a result and a text. */
	void respond(const message &request, doca_error_t result, const std::string &text);
	void respond(const message &request, const rdma_details &details);

private:
	static bytes accept(message_type type, uint32_t correlation_id, const message &answer);

	channel &m_channel;
};

} /* namespace storage::older */

#endif /* STORAGE_OLDER_MESSAGE_HPP_ */
