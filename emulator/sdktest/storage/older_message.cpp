/* SPDX-License-Identifier: Apache-2.0 */
#include "older_message.hpp"

namespace storage::older {

namespace {
constexpr size_t length_size = 2;
constexpr size_t header_size = 8;
} /* namespace */

const char *name_of(message_type type) noexcept
{
	switch (type) {
	case message_type::response:
		return "response";
	case message_type::configure_data_path:
		return "configure_data_path";
	case message_type::create_rdma_connection_request:
		return "create_rdma_connection_request";
	case message_type::create_rdma_connection_response:
		return "create_rdma_connection_response";
	case message_type::start_data_path_connections:
		return "start_data_path_connections";
	case message_type::start_storage:
		return "start_storage";
	case message_type::destroy_objects:
		return "destroy_objects";
	}
	return "unknown message";
}

size_t message_length(const uint8_t *at, size_t len)
{
	if (len < length_size)
		return 0;
	const size_t whole = get_be<uint16_t>(at);
	if (whole < header_size || whole > max_message_size)
		throw failure{DOCA_ERROR_INVALID_VALUE, "A control message of " + std::to_string(whole) + " bytes"};
	return whole;
}

bytes encode(const message &message)
{
	const size_t whole = header_size + message.payload.size();

	if (whole > max_message_size)
		throw failure{DOCA_ERROR_TOO_BIG, "A control message of " + std::to_string(whole) + " bytes"};
	return writer{}
		.number(static_cast<uint16_t>(whole))
		.number(static_cast<uint16_t>(message.type))
		.number(message.correlation_id)
		.raw(message.payload)
		.done();
}

message decode(const bytes &data)
{
	reader in{data};
	message message{};

	(void)in.number<uint16_t>();
	message.type = static_cast<message_type>(in.number<uint16_t>());
	message.correlation_id = in.number<uint32_t>();
	message.payload = in.raw(in.left());
	return message;
}

bytes configure_data_path::encode() const
{
	return writer{}.number(buffer_count).number(buffer_size).number(batch_size).raw(mmap).done();
}

configure_data_path configure_data_path::decode(const bytes &data)
{
	reader in{data};
	configure_data_path config{};

	config.buffer_count = in.number<uint32_t>();
	config.buffer_size = in.number<uint32_t>();
	config.batch_size = in.number<uint32_t>();
	config.mmap = in.raw(in.left());
	return config;
}

bytes rdma_details::encode() const
{
	return writer{}.number(static_cast<uint8_t>(role)).raw(details).done();
}

rdma_details rdma_details::decode(const bytes &data)
{
	reader in{data};
	rdma_details connection{};

	connection.role = static_cast<rdma_role>(in.number<uint8_t>());
	connection.details = in.raw(in.left());
	return connection;
}

void control::respond(const message &request, doca_error_t result, const std::string &text)
{
	m_channel.send(encode(message{message_type::response, request.correlation_id,
				      writer{}.number(static_cast<uint32_t>(result)).raw(text).done()}));
}

void control::respond(const message &request, const rdma_details &details)
{
	m_channel.send(encode(
		message{message_type::create_rdma_connection_response, request.correlation_id, details.encode()}));
}

bytes control::accept(message_type type, uint32_t correlation_id, const message &answer)
{
	if (answer.correlation_id != correlation_id)
		throw failure{DOCA_ERROR_UNEXPECTED, std::string{"The response to "} + name_of(type) + " is to something else"};
	if (type == message_type::create_rdma_connection_request &&
	    answer.type == message_type::create_rdma_connection_response)
		return answer.payload;
	if (answer.type != message_type::response)
		throw failure{DOCA_ERROR_UNEXPECTED,
			      std::string{"The response to "} + name_of(type) + " is " + name_of(answer.type)};
	reader in{answer.payload};
	const auto result = static_cast<doca_error_t>(in.number<uint32_t>());
	if (result != DOCA_SUCCESS || type == message_type::create_rdma_connection_request)
		throw failure{result, std::string{"The peer refuses "} + name_of(type) + " (" + in.text(in.left()) + ")"};
	return {};
}

} /* namespace storage::older */
