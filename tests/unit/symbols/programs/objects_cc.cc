// C++ globals: namespaces, classes with bases, static members, anonymous namespaces, static locals.
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace bank {

struct Base {
  long id = 0;
  int kind = 0;
};

class Account : public Base {
 public:
  std::mutex lock;
  int balance = 0;
  static std::mutex all;
  static inline int count = 0;
};

std::mutex Account::all;
Account first;
std::array<Account, 3> others;
namespace {
std::condition_variable ready;
}

int& next_id() {
  static std::atomic<int> last{0};
  static int id = 0;
  ++last;
  return ++id;
}

}  // namespace bank

static std::mutex file_lock;

int main() {
  std::scoped_lock guard(file_lock, bank::Account::all, bank::first.lock, bank::others[1].lock);
  bank::ready.notify_all();
  return bank::next_id() + bank::Account::count;
}
