/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_CHANNEL_HPP_
#define STORAGE_CHANNEL_HPP_

/* A channel carries control messages. What arrives is a stream of bytes: messages may come in parts, or several at once. */

#include <optional>

#include "bytes.hpp"

namespace storage {

class channel {
public:
	/* The length of the message that begins there, as a whole; 0: more bytes must come before it is known. */
	using length_of = size_t (*)(const uint8_t *at, size_t len);

	explicit channel(length_of length) : m_length{length}
	{
	}
	channel(const channel &) = delete;
	channel &operator=(const channel &) = delete;
	virtual ~channel() = default;

	/* Receives; true: something has happened. */
	virtual bool progress() = 0;

	virtual void send(const bytes &message) = 0;

	/* The next whole message that has arrived. Throws NOT_CONNECTED if there is none and none can come. */
	std::optional<bytes> next()
	{
		const size_t len = m_length(m_arrived.data(), m_arrived.size());

		if (len == 0 || len > m_arrived.size()) {
			if (m_is_lost)
				throw failure{DOCA_ERROR_NOT_CONNECTED, "The peer of a control channel has gone"};
			return std::nullopt;
		}
		const auto end = m_arrived.begin() + static_cast<std::ptrdiff_t>(len);
		bytes message(m_arrived.begin(), end);

		m_arrived.erase(m_arrived.begin(), end);
		return message;
	}

	/* Throws if the peer has gone. */
	void check_peer() const
	{
		if (m_is_lost)
			throw failure{DOCA_ERROR_NOT_CONNECTED, "The peer of a control channel has gone"};
	}

protected:
	void arrived(const uint8_t *data, size_t len)
	{
		m_arrived.insert(m_arrived.end(), data, data + len);
	}

	void lost() noexcept
	{
		m_is_lost = true;
	}

	bool is_lost() const noexcept
	{
		return m_is_lost;
	}

private:
	length_of m_length;
	bytes m_arrived;
	bool m_is_lost{false};
};

} /* namespace storage */

#endif /* STORAGE_CHANNEL_HPP_ */
