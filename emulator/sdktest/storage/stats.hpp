/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_STATS_HPP_
#define STORAGE_STATS_HPP_

/* What an initiator measures. */

#include <array>
#include <chrono>
#include <cstdint>

namespace storage {

class latencies {
public:
	void add(std::chrono::nanoseconds latency) noexcept;
	void add(const latencies &other) noexcept;

	uint64_t count() const noexcept
	{
		return m_count;
	}
	double min_us() const noexcept;
	double max_us() const noexcept;
	double mean_us() const noexcept;
	/* The latency that so many per cent do not exceed, to within 3 per cent. */
	double percentile_us(double percent) const noexcept;

private:
	static constexpr unsigned bits = 5; /* 32 steps for each power of two */
	static size_t bucket_of(uint64_t ns) noexcept;
	static uint64_t limit_of(size_t bucket) noexcept;

	uint64_t m_count{0};
	uint64_t m_sum{0};
	uint64_t m_min{UINT64_MAX};
	uint64_t m_max{0};
	std::array<uint64_t, (64 - bits + 1) << bits> m_buckets{};
};

struct stats {
	std::chrono::nanoseconds duration{0};
	uint64_t num_bytes{0};
	uint64_t num_hits{0};
	uint64_t num_misses{0};
	latencies latency;

	void print() const;
};

} /* namespace storage */

#endif /* STORAGE_STATS_HPP_ */
