// tls_destructors - thread_local objects and pthread keys are destroyed when their thread ends.
//
// Wrong:    nothing. Each thread's thread_local object goes first, then its key's value, which is set once more by
//           its own destructor and destroyed again in the next round; all of it before join returns.
// Needs memory-access switch points: no
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

namespace {

std::atomic<int> objects_destroyed{0};
std::atomic<int> key_destructor_calls{0};
pthread_key_t key;

struct PerThread {
  int uses = 0;
  ~PerThread() {
    assert(uses == 1);
    assert(pthread_getspecific(key) != nullptr);
    objects_destroyed++;
  }
};

thread_local PerThread per_thread;
int first_round, second_round;

void destroy_value(void* value) {
  key_destructor_calls++;
  if (value == &first_round) pthread_setspecific(key, &second_round);
}

void use_both() {
  per_thread.uses++;
  pthread_setspecific(key, &first_round);
}

}  // namespace

int main() {
  pthread_key_create(&key, destroy_value);
  std::thread first(use_both);
  std::thread second(use_both);
  first.join();
  second.join();
  assert(objects_destroyed == 2);
  assert(key_destructor_calls == 4);
  pthread_key_delete(key);
  std::printf("objects %d, key destructor calls %d\n", objects_destroyed.load(), key_destructor_calls.load());
}
