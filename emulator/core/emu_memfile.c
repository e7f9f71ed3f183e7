/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "emu_memfile.h"
#include "emu_peer.h"

struct file {
	dev_t dev;
	ino_t inode; /* 0: none */
	uint64_t offset;
};

/* Takes a line of /proc/self/maps. It goes on at *addr, where the line before has ended. Returns false when there is
 * nothing more to be found: file is complete, or its inode is 0. */
static bool take_mapping(const char *line, uint64_t *addr, uint64_t end, struct file *file)
{
	uint64_t from, to, offset;
	unsigned major, minor;
	unsigned long inode;
	char flags[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %lu", &from, &to, flags, &offset, &major, &minor,
		   &inode) != 7 ||
	    to <= *addr)
		return true;
	offset += *addr - from;
	if (from > *addr || flags[0] != 'r' || flags[1] != 'w' || flags[3] != 's' || inode == 0 ||
	    (file->inode != 0 && (file->inode != inode || file->dev != makedev(major, minor) || file->offset != offset))) {
		file->inode = 0;
		return false;
	}
	file->dev = makedev(major, minor);
	file->inode = inode;
	file->offset = offset + (to - *addr); /* where the next line has to begin */
	*addr = to;
	return to < end;
}

/* Finds the file of a range. False: it is not one shared mapping, or several that are as good as one. */
static bool find_file(uint64_t addr, uint64_t len, struct file *file)
{
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	const uint64_t begin = addr;
	char *line = NULL;
	size_t room = 0;

	if (maps == NULL)
		return false;
	while (getline(&line, &room, maps) > 0 && take_mapping(line, &addr, begin + len, file))
		;
	free(line);
	fclose(maps);
	file->offset -= addr - begin;
	return file->inode != 0 && addr >= begin + len;
}

static bool is_file(int fd, const struct file *file)
{
	struct stat info;

	return fstat(fd, &info) == 0 && info.st_ino == file->inode && info.st_dev == file->dev;
}

/* Other threads may close the descriptor, and open another file under its number: the copy counts. */
static int copy_if(int fd, const struct file *file)
{
	int copy;

	if (!is_file(fd, file))
		return -1;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0 || (is_file(copy, file) && emu_shared_is(copy)))
		return copy;
	close(copy);
	return -1;
}

int emu_memfile_find(const uint8_t *addr, size_t len, uint64_t *offset)
{
	struct file file = {.inode = 0};
	const struct dirent *entry;
	int found = -1;
	DIR *fds;

	if (!find_file((uintptr_t)addr, len, &file))
		return -1;
	fds = opendir("/proc/thread-self/fd");
	if (fds == NULL)
		return -1;
	while (found < 0 && (entry = readdir(fds)) != NULL) {
		if (entry->d_name[0] != '.')
			found = copy_if(atoi(entry->d_name), &file);
	}
	closedir(fds);
	*offset = file.offset;
	return found;
}

void emu_memfile_map(struct emu_memfile *file, int fd, uint64_t offset, uint64_t len, bool is_writable)
{
	const uint64_t skip = offset % (uint64_t)sysconf(_SC_PAGESIZE);
	struct stat info;
	void *base;

	if (!emu_shared_is(fd) || fstat(fd, &info) != 0 || len == 0 || len > SIZE_MAX / 2 || offset > (uint64_t)info.st_size ||
	    len > (uint64_t)info.st_size - offset)
		return;
	base = mmap(NULL, len + skip, PROT_READ | (is_writable ? PROT_WRITE : 0), MAP_SHARED, fd, (off_t)(offset - skip));
	if (base == MAP_FAILED)
		return;
	*file = (struct emu_memfile){.bytes = (uint8_t *)base + skip, .is_writable = is_writable, .base = base, .size = len + skip};
}

void emu_memfile_unmap(struct emu_memfile *file)
{
	if (file->bytes != NULL)
		munmap(file->base, file->size);
	*file = (struct emu_memfile){.bytes = NULL};
}
