// getdents: all entries, with their types, in one order; rewinddir, seekdir, telldir, scandir.
#include <dirent.h>

#include "program.h"

static int is_own(const struct dirent* e) { return e->d_name[0] != '.'; }

int main(void) {
  char name[32];
  for (int i = 0; i < 300; i++) {
    snprintf(name, sizeof name, "entry-%03d", i);
    write_file(name, "");
  }
  TEST_EQ(mkdir("folder", 0700), 0);
  TEST_EQ(symlink("nowhere", "link"), 0);
  DIR* dir = opendir(".");
  TEST(dir != NULL);
  int files = 0, folders = 0, links = 0;
  uint64_t order = 0;
  long place = -1;
  char at_place[256] = "";
  for (struct dirent* e; (errno = 0, e = readdir(dir)) != NULL;) {
    files += e->d_type == DT_REG;
    folders += e->d_type == DT_DIR;
    links += e->d_type == DT_LNK;
    order = order * 31 + hash_of(e->d_name, strlen(e->d_name)) + e->d_ino;
    if (files == 100 && place < 0) {
      place = telldir(dir);
      e = readdir(dir);
      files += e->d_type == DT_REG;
      folders += e->d_type == DT_DIR;
      links += e->d_type == DT_LNK;
      strcpy(at_place, e->d_name);
    }
  }
  TEST_EQ(errno, 0);
  TEST_EQ(files, 300);
  TEST_EQ(folders, 3);  // with . and ..
  TEST_EQ(links, 1);
  seekdir(dir, place);
  TEST(strcmp(readdir(dir)->d_name, at_place) == 0);
  rewinddir(dir);
  TEST(readdir(dir) != NULL);
  closedir(dir);
  printf("order %016llx\n", (unsigned long long)order);
  struct dirent** list;
  TEST_EQ(scandir(".", &list, is_own, alphasort), 302);
  TEST(strcmp(list[0]->d_name, "entry-000") == 0 && strcmp(list[301]->d_name, "link") == 0);
  for (int i = 0; i < 302; i++) free(list[i]);
  free(list);
  TEST(opendir("entry-000") == NULL && errno == ENOTDIR);
  return passed();
}
