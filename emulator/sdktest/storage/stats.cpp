/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.hpp"

#include <algorithm>
#include <cstdio>

namespace storage {

size_t latencies::bucket_of(uint64_t ns) noexcept
{
	if (ns < (1U << bits))
		return ns;
	const unsigned shift = 63U - static_cast<unsigned>(__builtin_clzll(ns)) - bits;

	return (static_cast<size_t>(shift + 1) << bits) + ((ns >> shift) - (1U << bits));
}

uint64_t latencies::limit_of(size_t bucket) noexcept
{
	const size_t power = bucket >> bits;
	const uint64_t step = bucket & ((1U << bits) - 1);

	if (power == 0)
		return step;
	return (((uint64_t{1} << bits) + step + 1) << (power - 1)) - 1;
}

void latencies::add(std::chrono::nanoseconds latency) noexcept
{
	const auto ns = static_cast<uint64_t>(latency.count());

	m_count++;
	m_sum += ns;
	m_min = std::min(m_min, ns);
	m_max = std::max(m_max, ns);
	m_buckets[bucket_of(ns)]++;
}

void latencies::add(const latencies &other) noexcept
{
	m_count += other.m_count;
	m_sum += other.m_sum;
	m_min = std::min(m_min, other.m_min);
	m_max = std::max(m_max, other.m_max);
	for (size_t i = 0; i < m_buckets.size(); i++)
		m_buckets[i] += other.m_buckets[i];
}

double latencies::min_us() const noexcept
{
	return m_count == 0 ? 0 : static_cast<double>(m_min) / 1e3;
}

double latencies::max_us() const noexcept
{
	return static_cast<double>(m_max) / 1e3;
}

double latencies::mean_us() const noexcept
{
	return m_count == 0 ? 0 : static_cast<double>(m_sum) / static_cast<double>(m_count) / 1e3;
}

double latencies::percentile_us(double percent) const noexcept
{
	const auto wanted = static_cast<uint64_t>(static_cast<double>(m_count) * percent / 100);
	uint64_t seen = 0;

	for (size_t i = 0; i < m_buckets.size(); i++) {
		seen += m_buckets[i];
		if (seen > 0 && seen >= wanted)
			return static_cast<double>(std::min(limit_of(i), m_max)) / 1e3;
	}
	return max_us();
}

void stats::print() const
{
	const double seconds = std::chrono::duration<double>(duration).count();
	const double hits = static_cast<double>(num_hits);
	const double polls = std::max(1.0, hits + static_cast<double>(num_misses));

	std::printf("+================================================+\n"
		    "| Stats\n"
		    "+================================================+\n");
	std::printf("| Duration (seconds): %2.06lf\n", seconds);
	std::printf("| Operation count: %llu\n", static_cast<unsigned long long>(latency.count()));
	std::printf("| Data rate: %.03lf GiB/s\n", static_cast<double>(num_bytes) / seconds / (1 << 30));
	std::printf("| IO rate: %.03lf MIOP/s\n", static_cast<double>(latency.count()) / seconds / 1e6);
	std::printf("| PE hit rate: %2.03lf%% (%llu:%llu)\n", 100 * hits / polls, static_cast<unsigned long long>(num_hits),
		    static_cast<unsigned long long>(num_misses));
	std::printf("| Latency:\n");
	std::printf("| \tMin: %.03lf us\n", latency.min_us());
	std::printf("| \tMax: %.03lf us\n", latency.max_us());
	std::printf("| \tMean: %.03lf us\n", latency.mean_us());
	std::printf("| \tp99: %.03lf us\n", latency.percentile_us(99)); /* in addition to what the applications print */
	std::printf("+================================================+\n");
	(void)std::fflush(stdout);
}

} /* namespace storage */
