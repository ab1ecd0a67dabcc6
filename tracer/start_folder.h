// tracer/start_folder.h — lets a program be executed again under another path, of the same length.
//
// The name given to execve is on the new program's stack, so its length moves everything below. A replay executes
// the recorded program from wherever it is now: a temporary folder has a link to it, and the name, relative to that
// folder, is as long as the recorded one (".////prog"). Its bytes are then put right at the exec stop (exec_stop.h).
// The folder is needed only until then, and goes with this object.
#pragma once

#include <string>
#include <string_view>

#include "tracer/base/result.h"

namespace xbdbg {

class StartFolder {
 public:
  // `recorded_name`: StartImage::name; `program`: the file to execute.
  static Result<StartFolder> create(std::string_view recorded_name, const std::string& program);
  StartFolder(StartFolder&& other) noexcept;
  StartFolder& operator=(StartFolder&& other) noexcept;
  StartFolder(const StartFolder&) = delete;
  StartFolder& operator=(const StartFolder&) = delete;
  ~StartFolder();

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // what to execute, in that folder

 private:
  StartFolder() = default;
  std::string path_{}, name_{};
};

// A relative path as long as `recorded`, with the same last part where that is possible (the kernel calls the process
// by it), that names a file in the folder it is looked up in.
std::string name_of_same_length(std::string_view recorded);

}  // namespace xbdbg
