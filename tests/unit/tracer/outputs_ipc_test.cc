// What pipes, message queues, semaphores and shared memory write, checked against the running kernel.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/unit/tracer/call_memory.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

TEST(IpcOutputs, Pipes) {
  CallMemory m;
  for (const long number : {SYS_pipe, SYS_pipe2}) {
    auto* fds = m.poisoned<int>(2);
    ASSERT_EQ(m.call(number, fds, 0), 0);
    const UniqueFd out(fds[0]), in(fds[1]);
    ASSERT_EQ(::write(in.get(), "hello", 5), 5);
    EXPECT_EQ(m.call(SYS_read, out.get(), m.poisoned<char>(100), 100), 5);
  }
}

TEST(IpcOutputs, MessageQueuesOfSystemV) {
  CallMemory m;
  const int queue = ::msgget(IPC_PRIVATE, 0600);
  ASSERT_GE(queue, 0);
  struct Message {
    long type = 3;
    char text[20] = "hello, world";
  };
  const Message message;
  ASSERT_EQ(::msgsnd(queue, &message, 12, 0), 0);
  EXPECT_EQ(m.call(SYS_msgctl, queue, IPC_STAT, m.poisoned<msqid_ds>()), 0);
  EXPECT_GE(m.call(SYS_msgctl, 0, IPC_INFO, m.poisoned<msginfo>()), 0);
  EXPECT_GE(m.call(SYS_msgctl, 0, MSG_INFO, m.poisoned<msginfo>()), 0);
  EXPECT_EQ(m.call(SYS_msgrcv, queue, m.poisoned<Message>(), 20, 0, IPC_NOWAIT), 12);
  EXPECT_EQ(m.area_bytes(), 20u);
  EXPECT_EQ(m.call(SYS_msgrcv, queue, m.poisoned<Message>(), 20, 0, IPC_NOWAIT), -ENOMSG);
  ASSERT_EQ(::msgsnd(queue, &message, 12, 0), 0);
  EXPECT_EQ(m.call(SYS_msgrcv, queue, m.poisoned<char>(13), 5, 0, MSG_NOERROR), 5) << "cut off";
  EXPECT_EQ(m.call(SYS_msgctl, queue, IPC_RMID, nullptr), 0);
}

TEST(IpcOutputs, MessageQueuesOfPosix) {
  CallMemory m;
  const std::string name = "/xbdbg-test-" + std::to_string(::getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 3;
  attributes.mq_msgsize = 64;
  const UniqueFd queue(::mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK, 0600, &attributes));
  if (!queue) GTEST_SKIP() << "no POSIX message queues here: " << std::strerror(errno);
  ::mq_unlink(name.c_str());
  ASSERT_EQ(::mq_send(queue.get(), "hello", 5, 9), 0);
  EXPECT_EQ(m.call(SYS_mq_getsetattr, queue.get(), nullptr, m.poisoned<mq_attr>()), 0);
  EXPECT_EQ(m.call(SYS_mq_timedreceive, queue.get(), m.poisoned<char>(64), 64, m.poisoned<unsigned>(), nullptr), 5);
  EXPECT_EQ(m.area_bytes(), 5u + sizeof(unsigned));
  EXPECT_EQ(m.call(SYS_mq_timedreceive, queue.get(), m.poisoned<char>(64), 64, m.poisoned<unsigned>(), nullptr),
            -EAGAIN);
}

TEST(IpcOutputs, Semaphores) {
  CallMemory m;
  const int set = ::semget(IPC_PRIVATE, 5, 0600);
  ASSERT_GE(set, 0);
  EXPECT_EQ(m.call(SYS_semctl, set, 0, IPC_STAT, m.poisoned<semid_ds>()), 0);
  EXPECT_GE(m.call(SYS_semctl, 0, 0, IPC_INFO, m.poisoned<seminfo>()), 0);
  EXPECT_GE(m.call(SYS_semctl, 0, 0, SEM_INFO, m.poisoned<seminfo>()), 0);
  EXPECT_EQ(m.call(SYS_semctl, set, 0, GETALL, m.poisoned<unsigned short>(5)), 0);
  EXPECT_EQ(m.area_bytes(), 10u);
  EXPECT_EQ(m.call(SYS_semctl, set, 2, GETVAL, 0), 0);
  EXPECT_EQ(m.call(SYS_semctl, set, 2, SETVAL, 4711), 0) << "the argument is a number, not a pointer";
  EXPECT_EQ(m.area_bytes(), 0u);
  EXPECT_EQ(m.call(SYS_semctl, set, 0, IPC_RMID, 0), 0);
}

TEST(IpcOutputs, SharedMemory) {
  CallMemory m;
  const int segment = ::shmget(IPC_PRIVATE, 4096, 0600);
  ASSERT_GE(segment, 0);
  EXPECT_EQ(m.call(SYS_shmctl, segment, IPC_STAT, m.poisoned<shmid_ds>()), 0);
  EXPECT_GE(m.call(SYS_shmctl, 0, IPC_INFO, m.poisoned<shminfo>()), 0);
  EXPECT_GE(m.call(SYS_shmctl, 0, SHM_INFO, m.poisoned<shm_info>()), 0);
  EXPECT_EQ(m.call(SYS_shmctl, segment, IPC_RMID, nullptr), 0);
}

}  // namespace
}  // namespace xbdbg::test
