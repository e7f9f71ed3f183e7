/* SPDX-License-Identifier: Apache-2.0 */
#include "content.hpp"

#include <fstream>

namespace storage {

namespace {
constexpr uint64_t sbc_magic = 0xDEADF00D1337FADEULL;
constexpr size_t sbc_header_size = 16;
constexpr std::streamoff max_file_size = std::streamoff{2} << 30;
} /* namespace */

bytes read_file(const std::string &path)
{
	std::ifstream file{path, std::ios::binary | std::ios::ate};

	if (!file)
		throw failure{DOCA_ERROR_IO_FAILED, "Opening " + path};
	const std::streamoff size = file.tellg();
	if (size < 0 || size > max_file_size)
		throw failure{DOCA_ERROR_INVALID_VALUE, path + " has more than 2 GiB"};
	bytes data(static_cast<size_t>(size));
	file.seekg(0);
	if (!file.read(reinterpret_cast<char *>(data.data()), size))
		throw failure{DOCA_ERROR_IO_FAILED, "Reading " + path};
	return data;
}

bytes make_pattern(size_t size)
{
	bytes data(size);

	for (size_t i = 0; i < size; i++)
		data[i] = static_cast<uint8_t>(i % 256);
	return data;
}

content load_content(const std::string &path, uint32_t block_size, uint32_t block_count)
{
	content content{block_size, block_count, {}};

	if (!path.empty()) {
		content.data = read_file(path);
		if (content.data.size() >= sbc_header_size && get_be<uint64_t>(content.data.data()) == sbc_magic) {
			content.block_size = get_be<uint32_t>(content.data.data() + 8);
			content.block_count = get_be<uint32_t>(content.data.data() + 12);
			content.data.erase(content.data.begin(), content.data.begin() + sbc_header_size);
		}
	}
	const size_t size = size_t{content.block_size} * content.block_count;
	if (size == 0)
		throw failure{DOCA_ERROR_INVALID_VALUE, "The storage has no blocks"};
	if (path.empty())
		content.data.resize(size);
	if (content.data.size() != size)
		throw failure{DOCA_ERROR_INVALID_VALUE, path + " has " + std::to_string(content.data.size()) +
								" bytes of content, not " + std::to_string(size)};
	return content;
}

} /* namespace storage */
