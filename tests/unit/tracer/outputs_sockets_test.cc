// What calls about sockets write, checked against the running kernel.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/support/temp_dir.h"
#include "tests/unit/tracer/call_memory.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

// Two datagram sockets with names, and two connected streams.
class SocketOutputs : public testing::Test {
 protected:
  SocketOutputs() {
    for (int i = 0; i < 2; ++i) {
      named_[i] = UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      names_[i] = name_of(dir_ / (i == 0 ? "receiver" : "a-sender-with-a-long-name"));
      EXPECT_EQ(::bind(named_[i].get(), reinterpret_cast<sockaddr*>(&names_[i]), sizeof names_[i]), 0);
    }
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    pair_[0] = UniqueFd(fds[0]);
    pair_[1] = UniqueFd(fds[1]);
  }

  static sockaddr_un name_of(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    return name;
  }
  void send_to_receiver(const std::string& text) {
    EXPECT_EQ(::sendto(named_[1].get(), text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&names_[0]),
                       sizeof names_[0]),
              static_cast<ssize_t>(text.size()));
  }
  // A message header that offers so much for each part.
  msghdr offer(std::size_t name, std::size_t control, std::size_t first, std::size_t second) {
    auto* pieces = m_.poisoned<iovec>(2);
    pieces[0] = {m_.poisoned<char>(first), first};
    pieces[1] = {m_.poisoned<char>(second), second};
    msghdr header;
    std::memset(&header, 0, sizeof header);
    header.msg_name = name != 0 ? m_.poisoned<char>(name) : nullptr;
    header.msg_namelen = static_cast<socklen_t>(name);
    header.msg_iov = pieces;
    header.msg_iovlen = 2;
    header.msg_control = control != 0 ? m_.poisoned<char>(control) : nullptr;
    header.msg_controllen = control;
    return header;
  }
  void send_a_file() {
    char control[CMSG_SPACE(sizeof(int))] = {};
    iovec piece{const_cast<char*>("hello"), 5};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = pair_[0].get();
    std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
    EXPECT_EQ(::sendmsg(pair_[0].get(), &header, 0), 5);
  }

  TempDir dir_;
  UniqueFd named_[2], pair_[2];
  sockaddr_un names_[2];
  CallMemory m_;
};

TEST_F(SocketOutputs, APairOfThem) {
  auto* fds = m_.poisoned<int>(2);
  EXPECT_EQ(m_.call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fds), 0);
  ::close(fds[0]);
  ::close(fds[1]);
}

TEST_F(SocketOutputs, ReceivingWithAnAddressThatDoesNotFit) {
  send_to_receiver("0123456789");
  constexpr socklen_t kOffered = 12;
  auto* length = m_.holding(kOffered);
  EXPECT_EQ(
      m_.call(SYS_recvfrom, named_[0].get(), m_.poisoned<char>(100), 100, 0, m_.poisoned<char>(kOffered), length),
      10);
  EXPECT_GT(*length, kOffered) << "the kernel says how long it is";
  EXPECT_EQ(m_.area_bytes(), 10u + kOffered + sizeof *length);
}

TEST_F(SocketOutputs, ReceivingMoreThanFits) {
  send_to_receiver("0123456789");
  EXPECT_EQ(m_.call(SYS_recvfrom, named_[0].get(), m_.poisoned<char>(4), 4, MSG_TRUNC, nullptr, nullptr), 10);
  EXPECT_EQ(m_.area_bytes(), 4u);
}

TEST_F(SocketOutputs, AMessageWithNameAndShortBuffers) {
  send_to_receiver("0123456789");
  auto* header = m_.holding(offer(200, 0, 4, 100));
  EXPECT_EQ(m_.call(SYS_recvmsg, named_[0].get(), header, 0), 10);
  send_to_receiver("0123456789");
  header = m_.holding(offer(5, 0, 2, 2));
  EXPECT_EQ(m_.call(SYS_recvmsg, named_[0].get(), header, MSG_TRUNC), 10);
  EXPECT_TRUE(header->msg_flags & MSG_TRUNC);
}

TEST_F(SocketOutputs, AMessageWithAFileInIt) {
  for (const std::size_t control : {std::size_t{100}, CMSG_LEN(sizeof(int)), std::size_t{4}, std::size_t{0}}) {
    send_a_file();
    auto* header = m_.holding(offer(0, control, 100, 1));
    EXPECT_EQ(m_.call(SYS_recvmsg, pair_[1].get(), header, 0), 5) << control;
    if (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr && c->cmsg_len == CMSG_LEN(sizeof(int))) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
      EXPECT_EQ(::close(fd), 0);
    }
  }
}

TEST_F(SocketOutputs, SeveralMessages) {
  for (const char* text : {"one", "two", "three"}) send_to_receiver(text);
  auto* list = m_.poisoned<mmsghdr>(5);
  for (int i = 0; i < 5; ++i) list[i].msg_hdr = offer(i == 1 ? 3 : 120, 50, 2, 10);
  auto* timeout = m_.holding(timespec{5, 0});
  EXPECT_EQ(m_.call(SYS_recvmmsg, named_[0].get(), list, 5, MSG_WAITFORONE, timeout), 3);
  EXPECT_EQ(list[2].msg_len, 5u);

  auto* out = m_.poisoned<mmsghdr>(2);
  for (int i = 0; i < 2; ++i) {
    out[i].msg_hdr = offer(0, 0, 3, 3);
    out[i].msg_hdr.msg_name = &names_[0];
    out[i].msg_hdr.msg_namelen = sizeof names_[0];
  }
  EXPECT_EQ(m_.call(SYS_sendmmsg, named_[1].get(), out, 2, 0), 2);
  EXPECT_EQ(out[1].msg_len, 6u);
}

TEST_F(SocketOutputs, NamesOfBothEnds) {
  UniqueFd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(::listen(listener.get(), 5), 0);
  auto* at = m_.poisoned<sockaddr_in>();
  ASSERT_EQ(m_.call(SYS_getsockname, listener.get(), at, m_.holding(socklen_t{sizeof *at})), 0);
  for (const long number : {SYS_accept, SYS_accept4}) {
    UniqueFd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(at), sizeof *at), 0);
    UniqueFd accepted{
        static_cast<int>(m_.call(number, listener.get(), m_.poisoned<char>(100), m_.holding(socklen_t{100}), 0))};
    EXPECT_TRUE(accepted);
    EXPECT_EQ(m_.call(SYS_getpeername, accepted.get(), m_.poisoned<char>(3), m_.holding(socklen_t{3})), 0);
    EXPECT_EQ(m_.call(SYS_getsockopt, accepted.get(), SOL_TCP, TCP_INFO, m_.poisoned<char>(500),
                      m_.holding(socklen_t{500})),
              0);
  }
}

TEST_F(SocketOutputs, Options) {
  auto get = [&](int option, socklen_t offered) {
    return m_.call(SYS_getsockopt, pair_[0].get(), SOL_SOCKET, option, m_.poisoned<char>(offered),
                   m_.holding(offered));
  };
  EXPECT_EQ(get(SO_TYPE, 4), 0);
  EXPECT_EQ(get(SO_TYPE, 2), 0) << "half of it";
  EXPECT_EQ(get(SO_RCVBUF, 100), 0);
  EXPECT_EQ(get(SO_LINGER, 8), 0);
  EXPECT_EQ(get(SO_PEERCRED, 12), 0);
  EXPECT_EQ(get(SO_RCVTIMEO, 16), 0);
  EXPECT_EQ(get(4711, 16), -ENOPROTOOPT);
  const long r = get(SO_PEERGROUPS, 0);
  EXPECT_TRUE(r == -ERANGE || r == 0) << r;
  EXPECT_GE(m_.area_bytes(), 4u) << "the length it should have been";
}

}  // namespace
}  // namespace xbdbg::test
