/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_rdma.h>
#include <doca_version.h>

#include "fixture.h"

static void errors(void)
{
	CHECK(strcmp(doca_error_get_name(DOCA_SUCCESS), "DOCA_SUCCESS") == 0);
	CHECK(strcmp(doca_error_get_name(DOCA_ERROR_AGAIN), "DOCA_ERROR_AGAIN") == 0);
	CHECK(strcmp(doca_error_get_name(DOCA_ERROR_SKIPPED), "DOCA_ERROR_SKIPPED") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_SUCCESS), "Success") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_ERROR_NOT_SUPPORTED), "Operation not supported") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_ERROR_AGAIN),
		     "Resource temporarily unavailable, try again") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_ERROR_INVALID_VALUE), "Invalid input") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_ERROR_NOT_FOUND), "Requested Resource Not Found") == 0);
	CHECK(strcmp(doca_error_get_descr(DOCA_ERROR_BAD_STATE), "Bad State") == 0);
	CHECK(strcmp(doca_error_get_name((doca_error_t)31), "Unrecognized error code") == 0);
	CHECK(strcmp(doca_error_get_descr((doca_error_t)-1), "Unrecognized error code") == 0);
	for (int i = 0; i <= DOCA_ERROR_SKIPPED; i++) {
		CHECK(doca_error_get_name((doca_error_t)i)[0] == 'D');
		CHECK(doca_error_get_descr((doca_error_t)i)[0] != '\0');
	}
	CHECK(strcmp(doca_version_runtime(), "3.0.0058") == 0);
	CHECK(strcmp(doca_version(), doca_version_runtime()) == 0);
}

static uint32_t count_devs(const char *side)
{
	struct doca_devinfo **list;
	uint32_t num = 77;

	if (side == NULL)
		unsetenv("DOCA_EMU_SIDE");
	else
		setenv("DOCA_EMU_SIDE", side, 1);
	EXPECT(SUCCESS, doca_devinfo_create_list(&list, &num));
	EXPECT(SUCCESS, doca_devinfo_destroy_list(list));
	unsetenv("DOCA_EMU_SIDE");
	return num;
}

static void discovery(void)
{
	struct doca_devinfo **list = NULL;
	uint32_t num = 77;
	char line[200] = "";
	ssize_t line_len;
	int fds[2], saved;
	doca_error_t result;

	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_create_list(NULL, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_create_list(&list, NULL));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_destroy_list(NULL));
	CHECK(count_devs(NULL) == 4);
	CHECK(count_devs("") == 4);
	CHECK(count_devs("dpu") == 2);
	CHECK(count_devs("host") == 2);
	/* If there are no devices, the call returns an error, leaves the outputs unchanged, and one line says
	 * why. */
	setenv("DOCA_EMU_SIDE", "moon", 1);
	CHECK(pipe(fds) == 0);
	saved = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	result = doca_devinfo_create_list(&list, &num);
	dup2(saved, STDERR_FILENO);
	EXPECT(ERROR_NOT_FOUND, result);
	CHECK(list == NULL && num == 77);
	close(fds[1]);
	line_len = read(fds[0], line, sizeof(line) - 1);
	CHECK(line_len > 0 && strstr(line, "\"moon\"") != NULL && strchr(line, '\n') == line + line_len - 1);
	close(fds[0]);
	close(saved);
	unsetenv("DOCA_EMU_SIDE");
}

static void open_and_close(void)
{
	struct doca_devinfo **list;
	struct doca_dev *a, *b, *c;
	struct doca_dma *dma;
	uint32_t num;

	MUST(doca_devinfo_create_list(&list, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_dev_open(NULL, &a));
	EXPECT(ERROR_INVALID_VALUE, doca_dev_open(list[0], NULL));
	EXPECT(SUCCESS, doca_dev_open(list[0], &a));
	EXPECT(SUCCESS, doca_dev_open(list[0], &b));
	EXPECT(SUCCESS, doca_dev_open(list[1], &c));
	CHECK(a == b && a != c);
	MUST(doca_devinfo_destroy_list(list));
	CHECK(doca_dev_as_devinfo(a) != NULL); /* outlives the list */
	CHECK(doca_dev_as_devinfo(NULL) == NULL);
	EXPECT(SUCCESS, doca_dev_close(NULL));
	MUST(doca_dma_create(a, &dma));
	EXPECT(SUCCESS, doca_dev_close(a)); /* not the last one */
	EXPECT(ERROR_IN_USE, doca_dev_close(a));
	MUST(doca_dma_destroy(dma));
	EXPECT(SUCCESS, doca_dev_close(a));
	EXPECT(SUCCESS, doca_dev_close(c));
	EXPECT(ERROR_NOT_SUPPORTED, doca_dev_accelerate_resource_reclaim(a));
}

static void properties(void)
{
	struct doca_dev *dpu = open_dev(DPU_1), *host = open_dev(HOST_1);
	struct doca_devinfo *info = doca_dev_as_devinfo(dpu);
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint8_t addr[16], other[16], flag;
	uint16_t id, other_id;
	uint64_t rate;

	EXPECT(SUCCESS, doca_devinfo_get_pci_addr_str(info, pci));
	CHECK(strcmp(pci, "0000:03:00.1") == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_pci_addr_str(info, NULL));
	EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(info, "0000:03:00.1", &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(info, "03:00.1", &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(info, "03:00.0", &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(info, "0001:03:00.1", &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(doca_dev_as_devinfo(host), "B1:00.1", &flag));
	CHECK(flag != 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "3:00.1", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "03.00.1", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "mlx5_01", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "0000-03:00.1", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "00x0:03:00.1", &flag));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_is_equal_pci_addr(info, "00000:03:00.1", &flag));

	EXPECT(SUCCESS, doca_devinfo_get_ibdev_name(info, name, DOCA_DEVINFO_IBDEV_NAME_SIZE));
	CHECK(strcmp(name, "mlx5_1") == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_ibdev_name(info, name, 63));
	EXPECT(SUCCESS, doca_devinfo_get_iface_name(info, name, sizeof(name)));
	CHECK(strcmp(name, "p1") == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_iface_name(info, name, sizeof(name) - 1));

	EXPECT(SUCCESS, doca_devinfo_get_ipv4_addr(info, addr, 4));
	CHECK(addr[0] == 10);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(info, addr, 3));
	EXPECT(SUCCESS, doca_devinfo_get_ipv6_addr(info, addr, 16));
	CHECK(addr[0] == 0xfe && addr[1] == 0x80);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_ipv6_addr(info, addr, 15));
	EXPECT(SUCCESS, doca_devinfo_get_mac_addr(info, addr, 6));
	EXPECT(SUCCESS, doca_devinfo_get_mac_addr(doca_dev_as_devinfo(host), other, 6));
	CHECK(memcmp(addr, other, 6) != 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_get_mac_addr(info, addr, 5));
	EXPECT(ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(info, &id));
	EXPECT(SUCCESS, doca_devinfo_get_active_rate(info, &rate));
	CHECK(rate == 200000000000);
	EXPECT(SUCCESS, doca_devinfo_get_vhca_id(info, &id));
	EXPECT(SUCCESS, doca_devinfo_get_vhca_id(doca_dev_as_devinfo(host), &other_id));
	CHECK(id != other_id);
	EXPECT(SUCCESS, doca_devinfo_cap_is_hotplug_manager_supported(info, &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_devinfo_cap_is_notification_moderation_supported(info, &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, &flag));
	CHECK(flag == 0);
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
}

static void representors(void)
{
	struct doca_dev *dpu = open_dev(DPU_1), *host = open_dev(HOST_1);
	struct doca_devinfo_rep **list;
	struct doca_dev_rep *rep;
	struct doca_devinfo_rep *info;
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	enum doca_pci_func_type type;
	uint16_t id, host_id;
	uint32_t num;
	uint8_t flag;

	EXPECT(SUCCESS, doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(dpu), &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(dpu), &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_devinfo_rep_cap_is_filter_emulated_supported(doca_dev_as_devinfo(dpu), &flag));
	CHECK(flag == 0);
	EXPECT(ERROR_NOT_SUPPORTED,
	       doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(host), &flag));

	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_rep_create_list(NULL, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_rep_create_list(dpu, 1, &list, &num));
	EXPECT(ERROR_NOT_SUPPORTED,
	       doca_devinfo_rep_create_list(host, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	EXPECT(ERROR_NOT_SUPPORTED,
	       doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_EMULATED, &list, &num));
	EXPECT(SUCCESS, doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_ALL, &list, &num));
	CHECK(num == 1);
	EXPECT(SUCCESS, doca_devinfo_rep_destroy_list(list));
	EXPECT(SUCCESS, doca_devinfo_rep_create_list(dpu, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	CHECK(num == 1);
	EXPECT(ERROR_INVALID_VALUE, doca_dev_rep_open(NULL, &rep));
	EXPECT(SUCCESS, doca_dev_rep_open(list[0], &rep));
	EXPECT(SUCCESS, doca_devinfo_rep_destroy_list(list));
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_rep_destroy_list(NULL));
	info = doca_dev_rep_as_devinfo(rep);
	CHECK(doca_dev_rep_as_devinfo(NULL) == NULL);
	EXPECT(SUCCESS, doca_devinfo_rep_get_pci_addr_str(info, text));
	CHECK(strcmp(text, "0000:b1:00.1") == 0); /* as the host sees it */
	EXPECT(SUCCESS, doca_devinfo_rep_is_equal_pci_addr(info, "b1:00.1", &flag));
	CHECK(flag != 0);
	EXPECT(SUCCESS, doca_devinfo_rep_is_equal_pci_addr(info, "0000:b1:00.0", &flag));
	CHECK(flag == 0);
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_rep_is_equal_pci_addr(info, "b1:00.11", &flag));
	EXPECT(SUCCESS, doca_devinfo_rep_get_vuid(info, text, DOCA_DEVINFO_REP_VUID_SIZE));
	CHECK(text[0] != '\0');
	EXPECT(ERROR_INVALID_VALUE, doca_devinfo_rep_get_vuid(info, text, DOCA_DEVINFO_REP_VUID_SIZE - 1));
	EXPECT(SUCCESS, doca_devinfo_rep_get_pci_func_type(info, &type));
	CHECK(type == DOCA_PCI_FUNC_TYPE_PF);
	EXPECT(SUCCESS, doca_devinfo_rep_get_is_hotplug(info, &flag));
	CHECK(flag == 0);
	EXPECT(SUCCESS, doca_devinfo_rep_get_iface_name(info, text, DOCA_DEVINFO_IFACE_NAME_SIZE));
	CHECK(strcmp(text, "pf1hpf") == 0);
	EXPECT(SUCCESS, doca_devinfo_rep_get_vhca_id(info, &id));
	MUST(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(host), &host_id));
	CHECK(id == host_id);
	EXPECT(SUCCESS, doca_dev_rep_close(rep));
	EXPECT(ERROR_INVALID_VALUE, doca_dev_rep_close(NULL));
	MUST(doca_dev_close(dpu));
	MUST(doca_dev_close(host));
}

/* Each function has two entries, which share its PCI address and differ in what they can do. */
static void split_devices(void)
{
	static const char *const names[] = {"mlx5_0", "mlx5_4", "mlx5_1", "mlx5_5"};
	struct doca_dev *devs[4], *again;
	struct doca_comch_server *server;
	struct doca_devinfo_rep **reps;
	struct doca_dev_rep *rep;
	struct doca_devinfo **list;
	struct doca_rdma *rdma;
	uint32_t num, num_reps;

	setenv("DOCA_EMU_SPLIT_DEVICES", "0", 1);
	CHECK(count_devs(NULL) == 4);
	setenv("DOCA_EMU_SPLIT_DEVICES", "1", 1);
	CHECK(count_devs(NULL) == 8);
	setenv("DOCA_EMU_SIDE", "dpu", 1);
	MUST(doca_devinfo_create_list(&list, &num));
	CHECK(num == 4);
	for (uint32_t i = 0; i < 4; i++) {
		bool has_comch = i % 2 == 1;
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
		uint8_t equal = 0;

		EXPECT(SUCCESS, doca_devinfo_is_equal_pci_addr(list[i], i < 2 ? DPU_0 : DPU_1, &equal));
		CHECK(equal == 1);
		EXPECT(SUCCESS, doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		CHECK(strcmp(name, names[i]) == 0);
		CHECK(doca_comch_cap_server_is_supported(list[i]) == (has_comch ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED));
		CHECK(doca_comch_consumer_cap_is_supported(list[i]) == (has_comch ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED));
		CHECK(doca_rdma_cap_task_write_is_supported(list[i]) == (has_comch ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS));
		CHECK(doca_rdma_cap_task_remote_net_sync_event_get_is_supported(list[i]) ==
		      (has_comch ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS));
		CHECK(doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(list[i]) ==
		      (has_comch ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS));
		CHECK(doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(list[i]) ==
		      (has_comch ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS));
		EXPECT(SUCCESS, doca_dma_cap_task_memcpy_is_supported(list[i]));
		MUST(doca_dev_open(list[i], &devs[i]));
		MUST(doca_dev_open(list[i], &again));
		CHECK(devs[i] == again);
		MUST(doca_dev_close(again));
		EXPECT(SUCCESS, doca_devinfo_get_ibdev_name(doca_dev_as_devinfo(devs[i]), name, sizeof(name)));
		CHECK(strcmp(name, names[i]) == 0);
	}
	CHECK(devs[0] != devs[1]);
	MUST(doca_devinfo_destroy_list(list));
	EXPECT(ERROR_NOT_SUPPORTED, doca_rdma_create(devs[1], &rdma));
	MUST(doca_rdma_create(devs[0], &rdma));
	MUST(doca_rdma_destroy(rdma));
	for (int i = 0; i < 2; i++) {
		MUST(doca_devinfo_rep_create_list(devs[i], DOCA_DEVINFO_REP_FILTER_NET, &reps, &num_reps));
		MUST(doca_dev_rep_open(reps[0], &rep));
		MUST(doca_devinfo_rep_destroy_list(reps));
		if (i == 0) {
			EXPECT(ERROR_INITIALIZATION, doca_comch_server_create(devs[i], rep, "name", &server));
		} else {
			EXPECT(SUCCESS, doca_comch_server_create(devs[i], rep, "name", &server));
			MUST(doca_comch_server_destroy(server));
		}
		MUST(doca_dev_rep_close(rep));
	}
	for (uint32_t i = 0; i < 4; i++)
		MUST(doca_dev_close(devs[i]));
	unsetenv("DOCA_EMU_SIDE");
	unsetenv("DOCA_EMU_SPLIT_DEVICES");
}

TEST_MAIN(errors, discovery, open_and_close, properties, representors, split_devices)
