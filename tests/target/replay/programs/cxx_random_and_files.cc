// std::random_device, iostreams, the file system library, exceptions across threads.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <unordered_map>

#include "program.h"

int main() {
  std::random_device device;
  std::mt19937_64 generator(device());
  std::cout << "device " << device() << " generator " << generator() << std::endl;
  std::filesystem::create_directories("a/b/c");
  {
    std::ofstream out("a/b/file");
    for (int i = 0; i < 1000; i++) out << i << '\n';
  }
  std::ifstream in("a/b/file");
  long sum = 0, value;
  while (in >> value) sum += value;
  TEST_EQ(sum, 499500);
  int entries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("a")) entries += entry.exists();
  TEST_EQ(entries, 3);
  std::error_code error;
  TEST_EQ(std::filesystem::file_size("missing", error) != 0, 1);
  TEST(error == std::errc::no_such_file_or_directory);
  TEST(std::filesystem::remove_all("a") == 4);
  std::unordered_map<std::string, int> map;
  for (int i = 0; i < 100; i++) map["key" + std::to_string(i)] = i;
  std::ostringstream text;
  for (const auto& [key, number] : map) text << key << number;
  std::cout << hash_of(text.str().data(), text.str().size()) << '\n';
  std::cerr << "to standard error\n";
  return passed();
}
