// replay/kept_files.h — which files a trace that is being written keeps, each version of a file once.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "replay/trace.h"
#include "replay/trace_writer.h"
#include "tracer/base/result.h"

namespace xbdbg {

class KeptFiles {
 public:
  struct Answer {
    std::uint32_t number = 0;
    bool is_new = false;
  };
  // As TraceWriter::keep_file; copies go to `directory`/files.
  Result<Answer> keep(int fd, const std::string& path, KeepFile how, const std::string& directory);

  const std::vector<KeptFile>& files() const { return files_; }

 private:
  // What tells one version of a file from another, short of reading it.
  struct Version {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t mtime_ns = 0, ctime_ns = 0;
    KeepFile how = KeepFile::copy;
    bool settled = false;  // it was not changed in the moment before it was kept: the next change has another time
    bool same_as(const Version& other) const;
  };
  static Version version_of(const struct stat& status, KeepFile how);

  std::vector<KeptFile> files_{};
  std::vector<Version> versions_{};  // of the file with the same number
};

}  // namespace xbdbg
