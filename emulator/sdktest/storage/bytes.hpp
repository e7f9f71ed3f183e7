/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_BYTES_HPP_
#define STORAGE_BYTES_HPP_

/* Big-endian numbers in bytes. */

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"

namespace storage {

using bytes = std::vector<uint8_t>;

template <typename T>
void put_be(uint8_t *at, T value) noexcept
{
	for (size_t i = 0; i < sizeof(T); i++)
		at[i] = static_cast<uint8_t>(value >> (8 * (sizeof(T) - 1 - i)));
}

template <typename T>
T get_be(const uint8_t *at) noexcept
{
	T value = 0;

	for (size_t i = 0; i < sizeof(T); i++)
		value = static_cast<T>((value << 8) | at[i]);
	return value;
}

class writer {
public:
	template <typename T>
	writer &number(T value)
	{
		m_out.resize(m_out.size() + sizeof(T));
		put_be(m_out.data() + m_out.size() - sizeof(T), value);
		return *this;
	}

	template <typename Container>
	writer &raw(const Container &data)
	{
		m_out.insert(m_out.end(), data.begin(), data.end());
		return *this;
	}

	bytes done()
	{
		return std::move(m_out);
	}

private:
	bytes m_out;
};

/* Throws where the bytes end too early. */
class reader {
public:
	explicit reader(const bytes &in) : m_at{in.data()}, m_left{in.size()}
	{
	}

	template <typename T>
	T number()
	{
		return get_be<T>(take(sizeof(T)));
	}

	bytes raw(size_t len)
	{
		const uint8_t *at = take(len);

		return bytes(at, at + len);
	}

	std::string text(size_t len)
	{
		const bytes data = raw(len);

		return std::string(data.begin(), data.end());
	}

	size_t left() const noexcept
	{
		return m_left;
	}

private:
	const uint8_t *take(size_t len)
	{
		const uint8_t *at = m_at;

		if (len > m_left)
			throw failure{DOCA_ERROR_INVALID_VALUE, "A control message is too short"};
		m_at += len;
		m_left -= len;
		return at;
	}

	const uint8_t *m_at;
	size_t m_left;
};

} /* namespace storage */

#endif /* STORAGE_BYTES_HPP_ */
