// tracer/agent/launch_env.h — the environment variables by which xbdbg's launcher and the agent talk.
//
// The launcher sets them in the target's environment; the agent reads them in its constructor, before the program
// runs, and puts the environment back to what the user had: LD_PRELOAD and GLIBC_TUNABLES to the values kept in
// XBDBG_USER_PRELOAD and XBDBG_USER_TUNABLES (unset where the user had none), and all XBDBG_ variables away.
// The number of the arena's file descriptor is in kArenaFdVariable (protocol.h).
//
// Order: the launcher appends these behind the user's variables, in a fixed order, and replaces LD_PRELOAD and
// GLIBC_TUNABLES where they stand.
#pragma once

namespace xbdbg::agent {

inline constexpr char kPreloadVariable[] = "LD_PRELOAD";
inline constexpr char kTunablesVariable[] = "GLIBC_TUNABLES";
inline constexpr char kUserPreloadVariable[] = "XBDBG_USER_PRELOAD";    // there only when the user had LD_PRELOAD
inline constexpr char kUserTunablesVariable[] = "XBDBG_USER_TUNABLES";  // there only when the user had GLIBC_TUNABLES

}  // namespace xbdbg::agent
