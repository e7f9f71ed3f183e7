/* SPDX-License-Identifier: Apache-2.0 */
#include "message.hpp"

namespace storage {

namespace {
constexpr size_t length_size = 4;
constexpr size_t header_size = 16;
constexpr size_t max_size = 1 << 20; /* more is no control message */

message_type response_to(message_type request) noexcept
{
	return static_cast<message_type>(static_cast<uint32_t>(request) + 1);
}
} /* namespace */

const char *name_of(message_type type) noexcept
{
	switch (type) {
	case message_type::error_response:
		return "error_response";
	case message_type::query_storage_request:
		return "query_storage_request";
	case message_type::query_storage_response:
		return "query_storage_response";
	case message_type::init_storage_request:
		return "init_storage_request";
	case message_type::init_storage_response:
		return "init_storage_response";
	case message_type::create_rdma_connection_request:
		return "create_rdma_connection_request";
	case message_type::create_rdma_connection_response:
		return "create_rdma_connection_response";
	case message_type::start_storage_request:
		return "start_storage_request";
	case message_type::start_storage_response:
		return "start_storage_response";
	case message_type::stop_storage_request:
		return "stop_storage_request";
	case message_type::stop_storage_response:
		return "stop_storage_response";
	case message_type::shutdown_request:
		return "shutdown_request";
	case message_type::shutdown_response:
		return "shutdown_response";
	}
	return "unknown message";
}

size_t message_length(const uint8_t *at, size_t len)
{
	if (len < length_size)
		return 0;
	const size_t whole = length_size + get_be<uint32_t>(at);
	if (whole < header_size || whole > max_size)
		throw failure{DOCA_ERROR_INVALID_VALUE, "A control message of " + std::to_string(whole) + " bytes"};
	return whole;
}

bytes encode(const message &message)
{
	return writer{}
		.number(static_cast<uint32_t>(header_size - length_size + message.payload.size()))
		.number(static_cast<uint32_t>(message.type))
		.number(message.id)
		.number(message.correlation_id)
		.raw(message.payload)
		.done();
}

message decode(const bytes &data)
{
	reader in{data};
	message message{};

	(void)in.number<uint32_t>();
	message.type = static_cast<message_type>(in.number<uint32_t>());
	message.id = in.number<uint32_t>();
	message.correlation_id = in.number<uint32_t>();
	message.payload = in.raw(in.left());
	return message;
}

bytes error_payload::encode() const
{
	return writer{}
		.number(static_cast<uint32_t>(code))
		.number(static_cast<uint32_t>(text.size()))
		.raw(text)
		.done();
}

error_payload error_payload::decode(const bytes &data)
{
	reader in{data};
	error_payload payload{};

	payload.code = static_cast<doca_error_t>(in.number<uint32_t>());
	payload.text = in.text(in.number<uint32_t>());
	return payload;
}

bytes storage_size::encode() const
{
	return writer{}.number(total_size).number(block_size).done();
}

storage_size storage_size::decode(const bytes &data)
{
	reader in{data};
	storage_size size{};

	size.total_size = in.number<uint64_t>();
	size.block_size = in.number<uint32_t>();
	return size;
}

bytes init_storage::encode() const
{
	return writer{}
		.number(num_transactions)
		.number(num_cores)
		.number(static_cast<uint32_t>(mmap.size()))
		.raw(mmap)
		.done();
}

init_storage init_storage::decode(const bytes &data)
{
	reader in{data};
	init_storage init{};

	init.num_transactions = in.number<uint32_t>();
	init.num_cores = in.number<uint32_t>();
	init.mmap = in.raw(in.number<uint32_t>());
	return init;
}

bytes rdma_details::encode() const
{
	return writer{}
		.number(index)
		.number(static_cast<uint32_t>(role))
		.number(static_cast<uint32_t>(details.size()))
		.raw(details)
		.done();
}

rdma_details rdma_details::decode(const bytes &data)
{
	reader in{data};
	rdma_details connection{};

	connection.index = in.number<uint32_t>();
	connection.role = static_cast<rdma_role>(in.number<uint32_t>());
	connection.details = in.raw(in.number<uint32_t>());
	return connection;
}

void control::respond(const message &request, bytes payload)
{
	m_channel.send(encode(message{response_to(request.type), request.id, request.correlation_id, std::move(payload)}));
}

void control::refuse(const message &request, doca_error_t code, const std::string &text)
{
	m_channel.send(encode(message{message_type::error_response, request.id, request.correlation_id,
				      error_payload{code, text}.encode()}));
}

bytes control::accept(const message &request, const message &response)
{
	if (response.type == message_type::error_response) {
		const error_payload error = error_payload::decode(response.payload);

		throw failure{error.code, std::string{"The peer refuses "} + name_of(request.type) + " (" + error.text + ")"};
	}
	if (response.type != response_to(request.type) || response.id != request.id ||
	    response.correlation_id != request.correlation_id)
		throw failure{DOCA_ERROR_UNEXPECTED, std::string{"The response to "} + name_of(request.type) + " is " +
							     name_of(response.type) + " " + std::to_string(response.id)};
	return response.payload;
}

} /* namespace storage */
