/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_TCP_CHANNEL_HPP_
#define STORAGE_TCP_CHANNEL_HPP_

/* The control channel between the DPU and the target. */

#include "channel.hpp"

namespace storage {

class tcp_channel : public channel {
public:
	using channel::channel;
	~tcp_channel() override;

	/* As server: listens at all addresses, for one client. */
	void listen(uint16_t port);

	/* As client, of "address:port". Tries again while it is refused. */
	void connect(const std::string &server);

	bool is_connected() const noexcept
	{
		return m_socket >= 0 && m_is_connected;
	}

	/* Until connected: goes on connecting or accepting. */
	bool progress() override;
	void send(const bytes &message) override;

private:
	void begin_connect();
	bool finish_connect();
	void open();

	int m_listener{-1};
	int m_socket{-1};
	bool m_is_connected{false};
	uint32_t m_address{0};
	uint16_t m_port{0};
};

} /* namespace storage */

#endif /* STORAGE_TCP_CHANNEL_HPP_ */
