/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds a fuzz target every file of the folders named on the command line, and each file
 * cut at some lengths, so that the inputs a fuzzer found stay tests in every build.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* A copy of exactly @size bytes, so that reading one too many is seen by sanitizers. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int replay_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *in = fopen(path, "rb");
	size_t size;

	if (!in)
		return -1;
	size = fread(data, 1, sizeof(data), in);
	if (fclose(in))
		return -1;
	for (size_t cut = 0; cut < size; cut += 1 + size / 50)
		feed(data, cut);
	feed(data, size);
	return 0;
}

/* Number of files fed, -1 when one cannot be read. */
static int replay_folder(const char *folder)
{
	char path[4096];
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	if (!dir)
		return -1;
	while (n >= 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n = replay_file(path) ? -1 : n + 1;
	}
	(void)closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int n = replay_folder(argv[i]);

		(void)printf("%s: %d inputs\n", argv[i], n);
		if (n <= 0)
			return 1;
	}
	return argc > 1 ? 0 : 2;
}
