#include "tests/unit/tracer/call_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tracer/syscall_text.h"

namespace xbdbg::test {
namespace {

constexpr std::size_t kBlockBytes = 256 << 10;
constexpr std::size_t kGap = 64;
constexpr std::byte kPoison{0xa5};

}  // namespace

long raw_call(long number, const long* args) {
  const long r = ::syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
  return r == -1 ? -errno : r;
}

CallMemory::CallMemory() {
  void* at = ::mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) std::abort();
  block_ = {static_cast<std::byte*>(at), kBlockBytes};
  std::fill(block_.begin(), block_.end(), kPoison);
}

CallMemory::~CallMemory() { ::munmap(block_.data(), block_.size()); }

std::byte* CallMemory::take(std::size_t bytes) {
  const std::size_t at = (used_ + kGap + 15) / 16 * 16;
  used_ = at + bytes;
  if (used_ + kGap > block_.size()) std::abort();
  offers_.push_back({block_.data() + at, bytes});
  return block_.data() + at;
}

char* CallMemory::text(const std::string& value) {
  char* at = poisoned<char>(value.size() + 1);
  std::memcpy(at, value.c_str(), value.size() + 1);
  return at;
}

std::uint64_t CallMemory::area_bytes() const {
  std::uint64_t sum = 0;
  for (const Area& area : areas_) sum += area.size;
  return sum;
}

bool CallMemory::offered(const Area& area) const {
  return std::any_of(offers_.begin(), offers_.end(), [&](const Area& offer) {
    return area.begin >= offer.begin && area.begin + area.size <= offer.begin + offer.size;
  });
}

std::string CallMemory::name_of(const std::byte* at) const {
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    if (at >= offers_[i].begin && at < offers_[i].begin + offers_[i].size)
      return fmt::format("byte {} of piece {} ({} bytes)", at - offers_[i].begin, i, offers_[i].size);
  }
  return "a byte between the pieces";
}

std::vector<std::string> CallMemory::problems_of(long number, const long (&args)[6], const agent::SyscallInfo& as,
                                                 long* result) {
  areas_.clear();
  const std::vector<std::byte> before(block_.begin(), block_.end());
  const agent::OutputLimits limits = agent::limits_before(as, args, raw_call);
  *result = raw_call(number, args);
  agent::for_each_output(
      as, args, *result, limits,
      [](void* areas, const void* address, std::uint64_t size) {
        static_cast<std::vector<Area>*>(areas)->push_back({static_cast<const std::byte*>(address), size});
      },
      &areas_);

  std::vector<std::string> found;
  std::vector<bool> enumerated(block_.size());
  for (const Area& area : areas_) {
    if (!offered(area)) {
      found.push_back(
          fmt::format("{} bytes enumerated at {}, more than was offered", area.size, name_of(area.begin)));
      continue;
    }
    std::fill_n(enumerated.begin() + (area.begin - block_.data()), area.size, true);
  }
  for (std::size_t i = 0; i < block_.size(); ++i) {
    if (before[i] != block_[i] && !enumerated[i]) found.push_back("changed but missed: " + name_of(&block_[i]));
  }
  return found;
}

long CallMemory::checked_call(long number, const long (&args)[6], const agent::SyscallInfo& as) {
  long result = 0;
  const auto found = problems_of(number, args, as, &result);
  const std::size_t shown = std::min<std::size_t>(found.size(), 5);
  for (std::size_t i = 0; i < shown; ++i)
    ADD_FAILURE() << syscall_name(number) << " = " << call_result_text(result) << ": " << found[i];
  return result;
}

}  // namespace xbdbg::test
