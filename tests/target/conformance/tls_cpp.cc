// C++ thread_local objects: construction per thread, destruction at every kind of thread end, order.
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

int constructed, destroyed;
std::string order;
pthread_mutex_t order_mutex = PTHREAD_MUTEX_INITIALIZER;

struct Counted {
  explicit Counted(char letter) : letter_(letter) { ADD(constructed, 1); }
  ~Counted() {
    ADD(destroyed, 1);
    pthread_mutex_lock(&order_mutex);
    order += letter_;
    pthread_mutex_unlock(&order_mutex);
  }
  char letter_;
  int touched_ = 0;
};

thread_local Counted global_object('g');
thread_local std::vector<int> numbers;
thread_local int initialised_by_call = [] {
  ADD(constructed, 1000);
  return 5;
}();

void reset() {
  constructed = destroyed = 0;
  order.clear();
}

int touch() {
  thread_local Counted local_object('l');
  return ++global_object.touched_ + ++local_object.touched_;
}

void* touch_and_return(void* unused) {
  CHECK_EQ(touch(), 2);
  CHECK_EQ(touch(), 4);
  numbers.push_back(1);
  CHECK_EQ(numbers.size(), 1);
  return unused;
}
void* touch_and_exit(void* unused) {
  touch();
  pthread_exit(unused);
}
void* touch_and_be_cancelled(void* unused) {
  touch();
  pthread_cancel(pthread_self());
  pthread_testcancel();
  return unused;
}
void* touch_nothing(void* unused) { return unused; }

void destroyed_when_the_thread_returns() {
  reset();
  in_thread(touch_and_return, nullptr);
  CHECK_EQ(destroyed, 2);
  CHECK(order == "gl");  // reverse of construction
}

void destroyed_on_pthread_exit_and_cancellation() {
  reset();
  in_thread(touch_and_exit, nullptr);
  CHECK_EQ(destroyed, 2);
  CHECK(in_thread(touch_and_be_cancelled, nullptr) == PTHREAD_CANCELED);
  CHECK_EQ(destroyed, 4);
  CHECK(order == "glgl");
}

void untouched_objects_are_not_made() {
  reset();
  in_thread(touch_nothing, nullptr);
  CHECK_EQ(constructed % 1000, 0);
  CHECK_EQ(destroyed, 0);
}

void each_thread_has_its_own() {
  reset();
  {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++)
      threads.emplace_back([] {
        CHECK_EQ(touch(), 2);
        std::this_thread::yield();
        CHECK_EQ(touch(), 4);
        CHECK_EQ(initialised_by_call, 5);
      });
    for (auto& thread : threads) thread.join();
  }
  CHECK_EQ(destroyed, 16);
}

pthread_key_t key;
void note_key(void*) {
  pthread_mutex_lock(&order_mutex);
  order += 'k';
  pthread_mutex_unlock(&order_mutex);
}
void* touch_and_set_key(void* unused) {
  pthread_setspecific(key, &key);
  touch();
  return unused;
}

void objects_go_before_key_destructors() {
  reset();
  CHECK_OK(pthread_key_create(&key, note_key));
  in_thread(touch_and_set_key, nullptr);
  CHECK(order == "glk");
}

struct MakesAnother {
  ~MakesAnother() { touch(); }
};
void* touch_in_destructor(void* unused) {
  thread_local MakesAnother object;
  (void)&object;
  return unused;
}

void a_destructor_may_make_another_object() {
  reset();
  in_thread(touch_in_destructor, nullptr);
  CHECK_EQ(destroyed, 2);
}

void* block_in_destructor(void* unused) {
  struct Blocks {
    ~Blocks() {
      sleep_ms(5);
      pthread_mutex_lock(&order_mutex);
      order += 'B';
      pthread_mutex_unlock(&order_mutex);
    }
  };
  thread_local Blocks object;
  (void)&object;
  return unused;
}

void join_waits_for_destructors() {
  reset();
  in_thread(block_in_destructor, nullptr);
  CHECK(order == "B");
}

}  // namespace

CHECK_MAIN(CASE(destroyed_when_the_thread_returns), CASE(destroyed_on_pthread_exit_and_cancellation),
           CASE(untouched_objects_are_not_made), CASE(each_thread_has_its_own),
           CASE(objects_go_before_key_destructors), CASE(a_destructor_may_make_another_object),
           CASE(join_waits_for_destructors))
