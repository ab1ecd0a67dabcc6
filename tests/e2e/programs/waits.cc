// Waits through libraries and inlined code: events must name the lines below, not those of a library.
#include <condition_variable>
#include <mutex>
#include <thread>

struct Pool {
  std::mutex lock;
  std::condition_variable ready;
  bool go = false;
};
static Pool pool;

static void wait_for_it() {
  std::unique_lock<std::mutex> held(pool.lock);
  while (!pool.go) pool.ready.wait(held);  // the line of the wait
}

int main() {
  std::thread thread(wait_for_it);
  {
    std::lock_guard<std::mutex> held(pool.lock);
    pool.go = true;
  }
  pool.ready.notify_one();
  thread.join();
}
