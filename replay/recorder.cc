#include "replay/recorder.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <system_error>
#include <utility>

#include "tracer/memory_map.h"

namespace xbdbg {

namespace {

// Together what a kill -9 of xbdbg may cost.
constexpr std::chrono::milliseconds kLongestWait{200};  // for the doorbell
constexpr std::chrono::milliseconds kFlushInterval{200};
constexpr std::size_t kMaxMapsBytes = 64u << 20;

std::string proc_path(Pid pid, const std::string& name) { return "/proc/" + std::to_string(pid.raw()) + "/" + name; }

// Where the file behind a descriptor can be found again; empty: nowhere (it was deleted, or never had a name).
std::string path_behind(const std::string& link, const struct stat& file) {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size <= 0 || path.front() != '/') return {};
  path.resize(static_cast<std::size_t>(size));
  struct stat there {};
  const bool same = ::stat(path.c_str(), &there) == 0 && there.st_dev == file.st_dev && there.st_ino == file.st_ino;
  return same ? path : std::string();
}

// The signals of the terminal are for the thread that watches the target.
std::thread start_without_signals(auto work) {
  sigset_t all, old;
  ::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(std::move(work));
  (void)::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

}  // namespace

Recorder::Recorder(SharedArena& arena, TraceWriter writer, Pid target)
    : arena_(arena), writer_(std::move(writer)), target_(target), ring_(arena), last_flush_(Clock::now()) {}

Result<std::unique_ptr<Recorder>> Recorder::start(SharedArena& arena, TraceWriter writer, Pid target) {
  std::unique_ptr<Recorder> recorder(new Recorder(arena, std::move(writer), target));
  try {
    recorder->thread_ = start_without_signals([raw = recorder.get()] { raw->work(); });
  } catch (const std::system_error& e) {
    return Error{Errc::os, std::string("start the thread that records: ") + e.what(), {}};
  }
  return recorder;
}

Recorder::~Recorder() { stop(); }

std::optional<Error> Recorder::error() const {
  if (!failed_.load(std::memory_order_acquire)) return std::nullopt;
  return error_;
}

Result<> Recorder::finish(const TraceEnding& ending) {
  stop();
  if (error_) return *error_;
  auto finished = look();  // the thread may have ended before the last bytes came
  if (finished) finished = writer_.finish(ending);
  return finished;
}

void Recorder::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  std::atomic<std::uint32_t>& doorbell = arena_.shared().doorbell;
  doorbell.fetch_add(1);
  (void)::syscall(SYS_futex, &doorbell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  thread_.join();
}

void Recorder::work() {
  while (!stopping_) {
    const std::uint32_t rung = arena_.shared().doorbell.load();
    Result<> looked = look();
    if (looked) looked = flush_if_due();
    if (!looked) {
      error_ = std::move(looked).error();
      failed_.store(true, std::memory_order_release);
      return;
    }
    wait_at_doorbell(rung);
  }
}

Result<> Recorder::add_start(const StartImage& start) {
  const std::lock_guard lock(mutex_);
  return writer_.add_start(start);
}

Result<> Recorder::look() {
  const std::lock_guard lock(mutex_);
  // The request first: what the agent wrote before it asked is then taken below, whatever it does meanwhile.
  XB_TRY(const std::optional<AgentRequest> request, arena_.request());
  const auto append = [this](std::span<const std::byte> bytes) { return writer_.append(bytes); };
  XB_TRY(const std::uint64_t taken, ring_.drain(append));
  unflushed_ = unflushed_ || taken > 0;
  if (request) answer(*request);
  return Ok{};
}

Result<> Recorder::flush_if_due() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!unflushed_ || now - last_flush_ < kFlushInterval) return Ok{};
  last_flush_ = now;
  unflushed_ = false;
  return writer_.flush();
}

// The agent rings when it waits for us or has filled a good part of the ring; what little it writes in between is
// taken when the time is over. `rung` was read before the last look: who rang since does not let us wait.
void Recorder::wait_at_doorbell(std::uint32_t rung) {
  constexpr timespec kTimeout{0, std::chrono::nanoseconds(kLongestWait).count()};
  agent::Arena& shared = arena_.shared();
  shared.reader_waits.store(1);
  (void)::syscall(SYS_futex, &shared.doorbell, FUTEX_WAIT, rung, &kTimeout, nullptr, 0);
  shared.reader_waits.store(0);
}

void Recorder::answer(const AgentRequest& request) {
  if (request.kind == agent::RequestKind::modules) {
    note_modules();
    arena_.answer(0);
    return;
  }
  const auto number = keep(request);
  if (number) {
    arena_.answer(*number);
  } else {
    arena_.answer(-1, number.error().what);
  }
}

Result<std::uint32_t> Recorder::keep(const AgentRequest& request) {
  const KeepFile how = request.is_module ? KeepFile::reference : KeepFile::copy;
  if (request.fd < 0) return writer_.keep_file(request.path, how);
  const std::string link = proc_path(target_, "fd/" + std::to_string(request.fd));
  // Not to wait: the descriptor may be that of a pipe.
  XB_TRY(const UniqueFd fd, open_file(link, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat file {};
  if (::fstat(fd.get(), &file) != 0) return os_error("look at " + link);
  if (!S_ISREG(file.st_mode)) return Error{Errc::unsupported, "it is not a regular file", {}};
  return writer_.keep_file(fd.get(), path_behind(link, file), how);
}

// For symbols, and to know the modules again: a trace without them still replays.
void Recorder::note_modules() {
  const auto text = read_whole_file(proc_path(target_, "maps"), kMaxMapsBytes);
  if (!text) return;
  const auto mappings = parse_memory_map(*text);
  if (!mappings) return;
  (void)writer_.add_modules(*mappings, arena_.shared().status.images);
}

}  // namespace xbdbg
