// Locks that spin without a system call or a pause: argument "flag" (std::atomic_flag, 4 threads), "peterson" (2),
// "ticket" (4), "cas" (4, compare_exchange with an expected value on the stack), "pingpong" (2, variables only).
// Each prints its name and the number of rounds that were not lost.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 20;
int counter;  // guarded by the lock

struct FlagLock {
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
  void lock(int) {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock(int) { taken.clear(std::memory_order_release); }
};

struct PetersonLock {
  std::atomic<int> wants[2]{};
  std::atomic<int> turn{0};
  void lock(int me) {
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] == 1 && turn == 1 - me) {
    }
  }
  void unlock(int me) { wants[me] = 0; }
};

struct TicketLock {
  std::atomic<unsigned> next{0}, serving{0};
  void lock(int) {
    const unsigned mine = next.fetch_add(1);
    while (serving.load() != mine) {
    }
  }
  void unlock(int) { serving.fetch_add(1); }
};

struct CasLock {
  std::atomic<int> taken{0};
  void lock(int) {
    int expected = 0;
    while (!taken.compare_exchange_strong(expected, 1)) expected = 0;
  }
  void unlock(int) { taken = 0; }
};

template <class Lock>
void contend(int threads) {
  static Lock lock;
  std::vector<std::thread> all;
  for (int me = 0; me < threads; ++me) {
    all.emplace_back([me] {
      for (int i = 0; i < kRounds; ++i) {
        lock.lock(me);
        const int seen = counter;
        if (i % 5 == 0) std::this_thread::yield();  // with the lock held: others find it taken
        counter = seen + 1;
        lock.unlock(me);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

void ping_pong() {
  static std::atomic<int> turn{0};
  std::thread other([] {
    for (int i = 0; i < kRounds; ++i) {
      while (turn != 1) {
      }
      ++counter;
      turn = 0;
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    while (turn != 0) {
    }
    ++counter;
    turn = 1;
  }
  other.join();
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "flag") == 0) contend<FlagLock>(4);
  if (std::strcmp(what, "peterson") == 0) contend<PetersonLock>(2);
  if (std::strcmp(what, "ticket") == 0) contend<TicketLock>(4);
  if (std::strcmp(what, "cas") == 0) contend<CasLock>(4);
  if (std::strcmp(what, "pingpong") == 0) ping_pong();
  std::printf("%s %d\n", what, counter);
  return 0;
}
