// Locales and character sets, which libc reads from files.
#include <iconv.h>
#include <locale.h>
#include <wchar.h>

#include "program.h"

int main(void) {
  printf("locale %s\n", setlocale(LC_ALL, "C.UTF-8"));
  char in[] = "gr\xc3\xbc\xc3\x9f dich", out[32] = "", *from = in, *to = out;
  size_t in_left = strlen(in), out_left = sizeof out;
  iconv_t converter = iconv_open("ISO-8859-1", "UTF-8");
  if (converter != (iconv_t)-1) {
    TEST_EQ(iconv(converter, &from, &in_left, &to, &out_left), 0);
    TEST(memcmp(out, "gr\xfc\xdf dich", 9) == 0);
    iconv_close(converter);
  }
  wchar_t wide[32];
  size_t n = mbstowcs(wide, in, 32);
  printf("%zu wide characters\n", n);
  printf("%'d %s\n", 1234567, strerror(ENOENT));
  return passed();
}
