// Globals of every shape, to be named from their addresses. C: see also objects_cc.cc.
#include <pthread.h>

typedef struct {
  int id;
  pthread_mutex_t lock;
  struct {
    long balance;
    pthread_cond_t changed;
  } state;
} account_t;

struct pool {
  pthread_mutex_t lock;  // first: at the address of the pool itself
  int used;
  union {
    char bytes[16];
    long number;
  } u;
  account_t accounts[4];
};

pthread_mutex_t account_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t locks[8];
static pthread_mutex_t hidden_lock = PTHREAD_MUTEX_INITIALIZER;
struct pool pool;
int grid[3][5];
const volatile int answer = 42;
__thread int per_thread;

pthread_mutex_t* local_lock(void) {
  static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
  static int calls;
  ++calls;
  ++per_thread;
  return &inner;
}

int main(void) {
  pthread_mutex_lock(&account_lock);
  pthread_mutex_lock(&hidden_lock);
  pthread_mutex_lock(local_lock());
  return grid[1][2] + pool.used + (int)locks[0].__align;
}
