// tracer/descendants.h — the processes below a process, from /proc, and an end for all of them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace xbdbg {

std::vector<pid_t> children_of(pid_t parent);     // its direct children
std::vector<pid_t> descendants_of(pid_t parent);  // all of them; those nearer to `parent` first

// Targets do, and what they start: fork and exec hand it down. Zombies can be asked, too.
bool runs_without_randomisation(pid_t pid);

enum class KillOutcome {
  none_left,    // the caller had no children, or has none any more
  some_left,    // they were sent SIGKILL, and will end
  cannot_kill,  // those left are not ours to kill (they run a setuid program)
};

// One round of SIGKILL for every descendant of the calling process. NOTE [Killing until none is left]: the caller is
// a child subreaper, so whatever dies hands its children to the caller; as long as a descendant lives, the caller
// has a child. Repeating this and reaping until waitpid says ECHILD leaves nobody, even if they fork meanwhile.
KillOutcome kill_descendants_once();

}  // namespace xbdbg
