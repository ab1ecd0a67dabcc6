// Files through stdio: formatted output and input, seeking, pushing back, lines, tmpfile, memory streams.
#include "program.h"

int main(void) {
  char word[32], *line = NULL;
  size_t room = 0;
  int number = 0;
  FILE* f = fopen("file", "w+");
  TEST(f != NULL);
  for (int i = 0; i < 1000; i++) TEST(fprintf(f, "word%d %d\n", i, i * i) > 0);
  rewind(f);
  for (int i = 0; i < 1000; i++) {
    TEST_EQ(fscanf(f, "%31s %d\n", word, &number), 2);
    TEST_EQ(number, i * i);
  }
  TEST(feof(f) || fgetc(f) == EOF);
  TEST_EQ(fseek(f, 8, SEEK_SET), 0);
  TEST(getline(&line, &room, f) > 0);
  TEST(strcmp(line, "word1 1\n") == 0);
  TEST_EQ(ungetc('#', f), '#');
  TEST_EQ(fgetc(f), '#');
  printf("at %ld\n", ftell(f));
  TEST_EQ(fclose(f), 0);
  f = tmpfile();
  TEST(f != NULL);
  TEST_EQ(fwrite("12345678", 2, 4, f), 4);
  rewind(f);
  TEST_EQ(fread(word, 3, 10, f), 2);
  TEST(feof(f));
  fclose(f);
  char* text = NULL;
  f = open_memstream(&text, &room);
  fprintf(f, "%s-%5.2f", "pi", 3.14159);
  fclose(f);
  TEST(strcmp(text, "pi- 3.14") == 0);
  TEST(fopen("missing", "r") == NULL && errno == ENOENT);
  free(text);
  free(line);
  return passed();
}
