/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_COMCH_CHANNEL_HPP_
#define STORAGE_COMCH_CHANNEL_HPP_

/* The control channel between host and DPU: a Comch client or server with one connection. */

#include <doca_comch.h>
#include <doca_ctx.h>

#include "channel.hpp"
#include "device.hpp"

namespace storage {

class comch_channel : public channel {
public:
	/* A client, which begins to connect. */
	comch_channel(length_of length, doca_dev *dev, const std::string &name);
	/* A server, which takes one client. */
	comch_channel(length_of length, doca_dev *dev, doca_dev_rep *rep, const std::string &name);
	~comch_channel() override;

	bool is_connected() const noexcept
	{
		return m_connection != nullptr;
	}

	doca_comch_connection *connection() const noexcept
	{
		return m_connection;
	}

	/* The consumers of the peer that are running, lowest id first. */
	const std::vector<uint32_t> &remote_consumers() const noexcept
	{
		return m_remote_consumers;
	}

	bool progress() override;
	void send(const bytes &message) override;

	/* Waits until all messages are on their way, and disconnects. */
	void stop();

private:
	static comch_channel *of(doca_comch_connection *connection);
	static void on_state(const union doca_data user_data, doca_ctx *ctx, doca_ctx_states prev, doca_ctx_states next);
	static void on_connected(doca_comch_event_connection_status_changed *event, doca_comch_connection *connection,
				 uint8_t is_successful);
	static void on_disconnected(doca_comch_event_connection_status_changed *event, doca_comch_connection *connection,
				    uint8_t is_successful);
	static void on_message(doca_comch_event_msg_recv *event, uint8_t *message, uint32_t len,
			       doca_comch_connection *connection);
	static void on_sent(doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_send_failed(doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data);
	static void on_consumer_new(doca_comch_event_consumer *event, doca_comch_connection *connection, uint32_t id);
	static void on_consumer_expired(doca_comch_event_consumer *event, doca_comch_connection *connection, uint32_t id);
	void start(doca_error_t expected);
	void destroy() noexcept;

	handle<doca_pe> m_pe;
	doca_comch_client *m_client{nullptr};
	doca_comch_server *m_server{nullptr};
	doca_ctx *m_ctx{nullptr};
	doca_comch_connection *m_connection{nullptr};
	doca_ctx_states m_state{DOCA_CTX_STATE_IDLE};
	uint32_t m_max_len{0};
	std::vector<uint32_t> m_remote_consumers;
};

} /* namespace storage */

#endif /* STORAGE_COMCH_CHANNEL_HPP_ */
