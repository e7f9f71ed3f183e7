/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_IO_MESSAGE_HPP_
#define STORAGE_IO_MESSAGE_HPP_

/* The messages of the data path: 64 bytes, big-endian. */

#include "bytes.hpp"

namespace storage {

constexpr size_t io_message_size = 64;

enum class io_type : uint32_t {
	result = 0,
	read = 1,
	write = 2,
	stop = 3, /* in the older variant alone */
};

class io_message {
public:
	explicit io_message(void *at) noexcept : m_at{static_cast<uint8_t *>(at)}
	{
	}

	io_type type() const noexcept
	{
		return static_cast<io_type>(get_be<uint32_t>(m_at));
	}

	/* In the older variant alone; nobody but the initiator looks at it. */
	uint32_t correlation_id() const noexcept
	{
		return get_be<uint32_t>(m_at + 4);
	}

	uint64_t user_data() const noexcept
	{
		return get_be<uint64_t>(m_at + 8);
	}

	doca_error_t result() const noexcept
	{
		return static_cast<doca_error_t>(get_be<uint32_t>(m_at + 16));
	}

	uint32_t size() const noexcept
	{
		return get_be<uint32_t>(m_at + 20);
	}

	uint64_t requester_offset() const noexcept
	{
		return get_be<uint64_t>(m_at + 24);
	}

	uint64_t storage_offset() const noexcept
	{
		return get_be<uint64_t>(m_at + 32);
	}

	void set_type(io_type type) noexcept
	{
		put_be(m_at, static_cast<uint32_t>(type));
	}

	void set_correlation_id(uint32_t id) noexcept
	{
		put_be(m_at + 4, id);
	}

	void set_user_data(uint64_t user_data) noexcept
	{
		put_be(m_at + 8, user_data);
	}

	void set_result(doca_error_t result) noexcept
	{
		put_be(m_at + 16, static_cast<uint32_t>(result));
	}

	void set_size(uint32_t size) noexcept
	{
		put_be(m_at + 20, size);
	}

	void set_offsets(uint64_t requester, uint64_t storage) noexcept
	{
		put_be(m_at + 24, requester);
		put_be(m_at + 32, storage);
	}

	/* Makes the request that it was the response to it. */
	void answer(doca_error_t result) noexcept
	{
		set_type(io_type::result);
		set_result(result);
	}

private:
	uint8_t *m_at;
};

} /* namespace storage */

#endif /* STORAGE_IO_MESSAGE_HPP_ */
