// Calendar time: local time with its zone, formatting, and back.
#include "program.h"

int main(void) {
  char text[64];
  time_t now = time(NULL);
  struct tm local, utc;
  TEST(localtime_r(&now, &local) != NULL && gmtime_r(&now, &utc) != NULL);
  TEST(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &local) > 0);
  printf("%s\n", text);
  TEST_EQ(mktime(&local), now);
  TEST_EQ(timegm(&utc), now);
  setenv("TZ", "America/New_York", 1);
  tzset();
  time_t fixed = 1700000000;
  TEST(localtime_r(&fixed, &local) != NULL);
  strftime(text, sizeof text, "%F %T", &local);
  printf("%s\n", text);
  return passed();
}
