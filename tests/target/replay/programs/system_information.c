// uname, sysinfo, sysconf, getpagesize, load.
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "program.h"

int main(void) {
  struct utsname name;
  struct sysinfo info;
  double load[3];
  TEST_EQ(uname(&name), 0);
  TEST(strcmp(name.sysname, "Linux") == 0 && strcmp(name.machine, "x86_64") == 0);
  printf("%s %s %s\n", name.nodename, name.release, name.version);
  TEST_EQ(sysinfo(&info), 0);
  printf("up %ld s, free %lu, processes %d\n", info.uptime, info.freeram, info.procs);
  TEST(info.totalram > 0);
  TEST_EQ(getpagesize(), sysconf(_SC_PAGESIZE));
  TEST(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
  TEST(sysconf(_SC_CLK_TCK) == 100);
  TEST_EQ(getloadavg(load, 3), 3);
  printf("load %.2f processors %d %d pages %ld\n", load[0], get_nprocs(), get_nprocs_conf(), get_avphys_pages());
  return passed();
}
