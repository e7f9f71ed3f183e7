/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_CONTENT_HPP_
#define STORAGE_CONTENT_HPP_

/* Files with the content of a storage. */

#include "bytes.hpp"

namespace storage {

bytes read_file(const std::string &path);

/* What a validity test writes, if no file says it. */
bytes make_pattern(size_t size);

struct content {
	uint32_t block_size;
	uint32_t block_count;
	bytes data;
};

/* A file is raw, of exactly that size, or in the format .sbc, which has its own sizes. No path: zeros. */
content load_content(const std::string &path, uint32_t block_size, uint32_t block_count);

} /* namespace storage */

#endif /* STORAGE_CONTENT_HPP_ */
