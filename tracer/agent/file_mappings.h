// tracer/agent/file_mappings.h — mapped files and shared segments, so that a replay finds the same memory at the same
// address without the files.
//
// Recording, xbdbg keeps each mapped file in the trace (a library by reference, anything else as a copy). Replaying,
// the kept file is mapped in its place. Shared mappings of one file share their memory there, too: a file of the
// replay's own, filled from the copy, stands in for it.
#pragma once

#include "tracer/agent/calls.h"
#include "tracer/agent/journal_format.h"

namespace xbdbg::agent {

class FileMappings {
 public:
  long map(const Call&);     // mmap
  long attach(const Call&);  // shmat
  long detach(const Call&);  // shmdt

 private:
  struct Group {
    std::uint64_t device, inode;  // recording
    int fd;                       // replaying; 0: not made yet
  };
  struct Segment {
    std::uint64_t address, size;
  };
  static constexpr std::uint32_t kMaxGroups = 1024, kMaxSegments = 256;

  long record(const Call&);
  long replay(const Call&);
  JournalMapping describe(const Call&);
  std::uint32_t group_of(std::uint64_t device, std::uint64_t inode);
  int shared_file(const JournalMapping&);

  Group groups_[kMaxGroups + 1];  // from 1
  std::uint32_t group_count_;
  Segment segments_[kMaxSegments];
};

}  // namespace xbdbg::agent
