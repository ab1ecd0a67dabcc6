// tracer/base/result.h — what can fail returns Result<T>.
//
// An Error says what was attempted and why it failed (`what`), and what the user can do about it (`hint`, may be
// empty). It is returned or reported, not both; only ui-tui/ prints it. There are no error out-parameters and no
// exceptions across module boundaries.
//
//   Result<UniqueFd> open_log(const std::string& path) {
//     XB_TRY(UniqueFd fd, open_file(path, O_RDONLY));      // returns the error, or defines fd
//     XB_CHECK(check_header(fd));                           // returns the error of a Result<>
//     return fd;
//   }
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tracer/base/assert.h"

namespace xbdbg {

enum class Errc : std::uint8_t {
  os,           // a system call failed
  target_gone,  // the target process ended while we were working on it
  bad_input,    // a file, packet, option or argument is malformed
  unsupported,  // the target or kernel needs or lacks something we cannot handle
  refused,      // we decline on purpose (setuid program, ...)
  not_found,
};

struct Error {
  Errc code = Errc::os;
  std::string what{};
  std::string hint{};

  // Prefixes what the caller was doing: "read schedule: open x.xbs: No such file or directory".
  Error&& context(std::string_view doing) && {
    what.insert(0, std::string(doing) + ": ");
    return std::move(*this);
  }
};

// An Error from errno: "open /etc/x: Permission denied".
inline Error os_error(std::string_view attempted, std::string hint = {}, int err = errno) {
  return Error{Errc::os, std::string(attempted) + ": " + std::strerror(err), std::move(hint)};
}

struct Ok {};

template <class T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return v_.index() == 0; }

  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }

  Error& error() & {
    XB_ASSERT(v_.index() == 1);
    return std::get<1>(v_);
  }
  const Error& error() const& { return const_cast<Result*>(this)->error(); }
  Error&& error() && { return std::move(error()); }

 private:
  T& value() {
    XB_ASSERT(v_.index() == 0);
    return std::get<0>(v_);
  }

  std::variant<T, Error> v_;
};

}  // namespace xbdbg

#define XB_CAT_(a, b) a##b
#define XB_CAT(a, b) XB_CAT_(a, b)
// XB_TRY(declaration, expression): define `declaration` from the value, or return the error.
#define XB_TRY(decl, expr)                                                                   \
  auto XB_CAT(xb_result_, __LINE__) = (expr);                                                \
  if (!XB_CAT(xb_result_, __LINE__)) return std::move(XB_CAT(xb_result_, __LINE__)).error(); \
  decl = *std::move(XB_CAT(xb_result_, __LINE__))
// XB_CHECK(expression): return the error, if there is one.
#define XB_CHECK(expr) \
  if (auto xb_checked = (expr); !xb_checked) return std::move(xb_checked).error()
