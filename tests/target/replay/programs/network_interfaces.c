// The list of network interfaces: by netlink (getifaddrs) and by ioctl.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include "program.h"

int main(void) {
  struct ifaddrs* list;
  int loopback = 0;
  TEST_EQ(getifaddrs(&list), 0);
  for (struct ifaddrs* i = list; i; i = i->ifa_next) {
    printf("%s family %d flags %x\n", i->ifa_name, i->ifa_addr ? i->ifa_addr->sa_family : -1, i->ifa_flags);
    loopback += (i->ifa_flags & IFF_LOOPBACK) && i->ifa_addr && i->ifa_addr->sa_family == AF_INET;
  }
  freeifaddrs(list);
  TEST(loopback >= 1);
  unsigned index = if_nametoindex("lo");
  char name[IF_NAMESIZE];
  TEST(index > 0);
  TEST(if_indextoname(index, name) != NULL && strcmp(name, "lo") == 0);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct ifreq request;
  memset(&request, 0, sizeof request);
  strcpy(request.ifr_name, "lo");
  TEST_EQ(ioctl(fd, SIOCGIFADDR, &request), 0);
  TEST_EQ(((struct sockaddr_in*)&request.ifr_addr)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  TEST_EQ(ioctl(fd, SIOCGIFMTU, &request), 0);
  printf("mtu %d\n", request.ifr_mtu);
  struct ifreq several[16];
  struct ifconf all = {.ifc_len = sizeof several, .ifc_ifcu = {.ifcu_req = several}};
  TEST_EQ(ioctl(fd, SIOCGIFCONF, &all), 0);
  TEST(all.ifc_len >= (int)sizeof(struct ifreq));
  strcpy(request.ifr_name, "nothing0");
  TEST_ERRNO(ioctl(fd, SIOCGIFADDR, &request), ENODEV);
  return passed();
}
