#include "tracer/start_folder.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <utility>

#include "tracer/base/str.h"

namespace xbdbg {

namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Result<std::string> make_folder() {
  for (const char* parent : {"/tmp", "/dev/shm", "/var/tmp"}) {
    std::string path = std::string(parent) + "/xbdbg-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return path;
  }
  return os_error("make a temporary folder in /tmp", "a replay needs a place for a link to the program");
}

}  // namespace

std::string name_of_same_length(std::string_view recorded) {
  const std::size_t size = recorded.size();
  const auto padded = [size](std::string_view last) {
    return "." + std::string(size - last.size() - 1, '/') + std::string(last);
  };
  const std::string_view last = last_part(recorded);
  const bool is_name = !last.empty() && last != "." && last != "..";
  if (is_name && last.size() == size) return std::string(last);
  if (is_name && last.size() + 2 <= size) return padded(last);
  return size <= NAME_MAX ? std::string(size, 'x') : padded("x");  // "/x": no relative path ends like it
}

StartFolder::StartFolder(StartFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), name_(std::move(other.name_)) {}

StartFolder& StartFolder::operator=(StartFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(name_, other.name_);
  return *this;
}

StartFolder::~StartFolder() {
  if (path_.empty()) return;
  (void)::unlink((path_ + "/" + name_).c_str());
  (void)::rmdir(path_.c_str());
}

Result<StartFolder> StartFolder::create(std::string_view recorded_name, const std::string& program) {
  if (recorded_name.empty() || recorded_name.size() >= PATH_MAX) {
    return Error{Errc::bad_input, "the recorded program's name is " + quoted(recorded_name), "the trace is damaged"};
  }
  StartFolder folder;
  XB_TRY(folder.path_, make_folder());
  folder.name_ = name_of_same_length(recorded_name);
  const std::string link = folder.path_ + "/" + folder.name_;
  if (::symlink(program.c_str(), link.c_str()) != 0) return os_error("make the link " + quoted(link));
  return folder;
}

}  // namespace xbdbg
