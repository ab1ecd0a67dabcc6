// Names: localhost, services, protocols, users, groups, this machine.
#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>

#include "program.h"

int main(void) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *list = NULL;
  char text[256];
  int error = getaddrinfo("localhost", "80", &hints, &list);
  TEST_EQ(error, 0);
  struct sockaddr_in* a = (struct sockaddr_in*)list->ai_addr;
  TEST_EQ(a->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  TEST_EQ(getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST), 0);
  TEST(strcmp(text, "127.0.0.1") == 0);
  freeaddrinfo(list);
  hints.ai_flags = AI_NUMERICHOST;
  TEST_EQ(getaddrinfo("not a name", NULL, &hints, &list), EAI_NONAME);
  TEST_EQ(gethostname(text, sizeof text), 0);
  printf("host %s\n", text);
  struct servent* service = getservbyname("http", "tcp");
  printf("http is port %d\n", service ? ntohs((uint16_t)service->s_port) : -1);
  struct passwd* user = getpwnam("root");
  TEST(user != NULL && user->pw_uid == 0);
  TEST(getpwnam("no-such-user-here") == NULL);
  struct group* group = getgrgid(0);
  TEST(group != NULL);
  printf("home of root %s, group %s\n", user->pw_dir, group->gr_name);
  return passed();
}
