// dlopen, dlsym, dlclose; a library that was not there at the start, called from a thread.
#include <dlfcn.h>

#include "program.h"

static void* thread(void* function) {
  double (*f)(double);
  memcpy(&f, &function, sizeof f);
  TEST(f(0.0) == 1.0);
  return NULL;
}

int main(void) {
  void* library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  TEST(library != NULL);
  void* cosine = dlsym(library, "cos");
  TEST(cosine != NULL);
  TEST(dlsym(library, "no_such_function") == NULL);
  TEST(dlerror() != NULL);
  join(start(thread, cosine));
  Dl_info info;
  TEST(dladdr(cosine, &info) != 0);
  printf("%s has %s\n", info.dli_fname, info.dli_sname);
  TEST_EQ(dlclose(library), 0);
  TEST(dlopen("libno-such-library.so", RTLD_NOW) == NULL);
  library = dlopen("libresolv.so.2", RTLD_LAZY);
  if (library) TEST_EQ(dlclose(library), 0);
  return passed();
}
