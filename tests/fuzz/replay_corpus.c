/*
 * replay_corpus: runs a fuzzer's function on the files of directories, as an
 * ordinary test.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static int run(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat status;
	if (!f || fstat(fileno(f), &status)) {
		perror(path);
		exit(1);
	}
	if (!S_ISREG(status.st_mode)) {
		fclose(f);
		return 0;
	}
	size_t size = (size_t)status.st_size;
	unsigned char *data = malloc(size + 1);
	if (!data || fread(data, 1, size, f) != size) {
		perror(path);
		exit(1);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

int main(int argc, char **argv)
{
	int passed = 0;
	for (int i = 1; i < argc; i++) {
		struct dirent *entry;
		DIR *d = opendir(argv[i]);
		if (!d) {
			perror(argv[i]);
			return 1;
		}
		while ((entry = readdir(d))) {
			char path[4096];
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			passed += run(path);
		}
		closedir(d);
	}
	printf("%d passed, 0 failed\n", passed);
	return passed == 0;
}
