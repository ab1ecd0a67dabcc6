#include "tracer/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

constexpr std::size_t kPage = 4096;

Pid self() { return Pid(::getpid()); }
Addr address_of(const void* p) { return Addr(reinterpret_cast<std::uint64_t>(p)); }

// Two pages, of which the second is not mapped.
class OnePage {
 public:
  OnePage()
      : page_(static_cast<char*>(
            ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ::munmap(page_ + kPage, kPage);
  }
  OnePage(const OnePage&) = delete;
  OnePage& operator=(const OnePage&) = delete;
  ~OnePage() { ::munmap(page_, kPage); }
  char* data() const { return page_; }

 private:
  char* page_;
};

TEST(Memory, ReadsWhatIsThere) {
  const std::array<char, 5> here{'h', 'e', 'r', 'e', '!'};
  std::array<char, 5> copy{};
  ASSERT_OK(n, read_memory(self(), address_of(here.data()), std::as_writable_bytes(std::span(copy))));
  EXPECT_EQ(n, 5u);
  EXPECT_EQ(copy, here);
}

TEST(Memory, ReportsHowMuchCouldBeRead) {
  OnePage page;
  std::array<std::byte, 100> copy{};
  ASSERT_OK(n, read_memory(self(), address_of(page.data() + kPage - 10), copy));
  EXPECT_EQ(n, 10u);
  EXPECT_ERROR(read_memory_exactly(self(), address_of(page.data() + kPage - 10), copy), Errc::os, "Bad address");
}

TEST(Memory, NothingReadableIsAnError) {
  std::array<std::byte, 8> copy{};
  EXPECT_ERROR(read_memory(self(), Addr(0x10), copy), Errc::os, "read 8 bytes at 0x10");
}

TEST(Memory, ReadsAndWritesPagesThatForbidIt) {
  OnePage page;
  std::strcpy(page.data(), "secret");
  ASSERT_EQ(::mprotect(page.data(), kPage, PROT_NONE), 0);
  std::array<char, 6> copy{};
  EXPECT_OK(read_memory_exactly(self(), address_of(page.data()), std::as_writable_bytes(std::span(copy))));
  EXPECT_EQ(std::string(copy.data(), copy.size()), "secret");
  EXPECT_OK(write_memory(self(), address_of(page.data()), std::as_bytes(std::span("S", 1))));
  ASSERT_EQ(::mprotect(page.data(), kPage, PROT_READ), 0);
  EXPECT_STREQ(page.data(), "Secret");
}

TEST(Memory, WritingWhereNothingIsMappedIsAnError) {
  EXPECT_ERROR(write_memory(self(), Addr(0x10), std::as_bytes(std::span("x", 1))), Errc::os, "write 1 bytes at 0x10");
}

TEST(Memory, AProcessThatIsGoneIsNamed) {
  std::array<std::byte, 8> copy{};
  EXPECT_ERROR(read_memory(Pid(0x3fffffff), Addr(0x1000), copy), Errc::target_gone, "process 1073741823");
  EXPECT_ERROR(write_memory(Pid(0x3fffffff), Addr(0x1000), copy), Errc::target_gone, "gone");
}

}  // namespace
}  // namespace xbdbg
