/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORAGE_ARGS_HPP_
#define STORAGE_ARGS_HPP_

/* The command line. A parameter sets a member of the program's configuration. */

#include <iostream>
#include <string>
#include <vector>

#include <doca_argp.h>

#include "failure.hpp"

namespace storage {

enum class need {
	optional,
	mandatory,
};

class arguments {
public:
	arguments(const char *program, void *configuration);
	arguments(const arguments &) = delete;
	arguments &operator=(const arguments &) = delete;
	~arguments();

	template <auto Member>
	arguments &add(const char *short_name, const char *long_name, const char *description, need need = need::optional)
	{
		add_param(short_name, long_name, description, member<decltype(Member)>::type(), need,
			  member<decltype(Member)>::is_multiple, set<Member>);
		return *this;
	}

	/* Ends the program after --help and --version. */
	void parse(int argc, char **argv);

private:
	template <typename T>
	struct member;
	template <typename Class, typename Value>
	struct member<Value Class::*> {
		using config = Class;
		static constexpr bool is_multiple = std::is_same_v<Value, std::vector<uint32_t>>;

		static constexpr doca_argp_type type()
		{
			if (std::is_same_v<Value, std::string>)
				return DOCA_ARGP_TYPE_STRING;
			return std::is_same_v<Value, bool> ? DOCA_ARGP_TYPE_BOOLEAN : DOCA_ARGP_TYPE_INT;
		}
	};

	template <auto Member>
	static doca_error_t set(void *value, void *config)
	{
		auto &target = static_cast<typename member<decltype(Member)>::config *>(config)->*Member;
		using target_type = std::decay_t<decltype(target)>;

		if constexpr (std::is_same_v<target_type, std::string>) {
			target = static_cast<const char *>(value);
		} else if constexpr (std::is_same_v<target_type, bool>) {
			target = *static_cast<const bool *>(value);
		} else {
			const int number = *static_cast<const int *>(value);

			if (number < 0)
				return DOCA_ERROR_INVALID_VALUE;
			if constexpr (std::is_same_v<target_type, std::vector<uint32_t>>)
				target.push_back(static_cast<uint32_t>(number));
			else
				target = target_type(number);
		}
		return DOCA_SUCCESS;
	}

	static void add_param(const char *short_name, const char *long_name, const char *description, doca_argp_type type,
			      need need, bool is_multiple, doca_argp_param_cb_t callback);
};

/* Prints the configuration: each field is a line of the block. */
class configuration_printer {
public:
	explicit configuration_printer(const char *name)
	{
		std::cout << name << ": {\n";
	}
	~configuration_printer()
	{
		std::cout << "}" << std::endl;
	}

	template <typename T>
	configuration_printer &field(const char *name, const T &value)
	{
		std::cout << "\t" << name << " : " << value << ",\n";
		return *this;
	}

	configuration_printer &field(const char *name, const std::vector<uint32_t> &values)
	{
		std::cout << "\t" << name << " : [";
		for (size_t i = 0; i < values.size(); i++)
			std::cout << (i == 0 ? "" : ", ") << values[i];
		std::cout << "],\n";
		return *this;
	}
};

} /* namespace storage */

#endif /* STORAGE_ARGS_HPP_ */
