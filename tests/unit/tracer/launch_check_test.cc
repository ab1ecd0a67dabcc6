#include "tracer/launch_check.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cstring>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"

namespace xbdbg {
namespace {

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";

struct FakeElf {
  unsigned char elf_class = ELFCLASS64;
  std::uint16_t type = ET_DYN;
  std::uint16_t machine = EM_X86_64;
  std::string interp = kLoader;  // empty: none
};

// The headers of a program: enough for whoever decides, too little to run.
std::string elf_bytes(const FakeElf& fake) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = fake.elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = fake.type;
  header.e_machine = fake.machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = fake.interp.empty() ? PT_LOAD : PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = fake.interp.size() + 1;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  return bytes + fake.interp + '\0';
}

class LaunchCheck : public testing::Test {
 protected:
  std::string program(std::string_view name, std::string_view content, mode_t mode = 0755) const {
    std::string path = dir_.file(name, content);
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string elf(const FakeElf& fake = {}) const { return program("prog", elf_bytes(fake)); }

  test::TempDir dir_{};
};

TEST_F(LaunchCheck, ADynamicProgramRunsAsItIs) {
  const std::string path = elf();
  ASSERT_OK(found, check_program({path, "arg"}, std::nullopt));
  EXPECT_EQ(found.path, path);
  EXPECT_EQ(found.argv, (std::vector<std::string>{path, "arg"}));
  EXPECT_EQ(found.elf_path, path);
}

TEST_F(LaunchCheck, SearchesPathAsExecvpDoes) {
  const std::string path = elf();
  ::mkdir((dir_ / "one").c_str(), 0755);
  ::mkdir((dir_ / "one/prog").c_str(), 0755);  // a folder of that name is passed over
  ASSERT_OK(found, check_program({"prog"}, "/nowhere:" + (dir_ / "one") + ":" + dir_.path()));
  EXPECT_EQ(found.path, path);
  EXPECT_EQ(found.argv[0], "prog");
  EXPECT_ERROR(check_program({"prog"}, dir_ / "one"), Errc::refused, "directory");
  EXPECT_ERROR(check_program({"prog"}, "/nowhere"), Errc::not_found, "not found in $PATH");
  EXPECT_OK(check_program({"sh"}, std::nullopt));  // the default path
}

TEST_F(LaunchCheck, WhatIsNotThereOrNotExecutableIsNamed) {
  EXPECT_ERROR(check_program({}, std::nullopt), Errc::bad_input, "no program");
  EXPECT_ERROR(check_program({""}, std::nullopt), Errc::not_found, "empty");
  EXPECT_ERROR(check_program({dir_ / "none"}, std::nullopt), Errc::not_found, "No such file");
  EXPECT_ERROR(check_program({dir_.path()}, std::nullopt), Errc::refused, "directory");
  EXPECT_ERROR(check_program({"/dev/null"}, std::nullopt), Errc::refused, "regular file");
  EXPECT_ERROR(check_program({program("p", elf_bytes({}), 0644)}, std::nullopt), Errc::refused, "not executable");
}

TEST_F(LaunchCheck, OtherKindsOfProgramsAreRefused) {
  const auto refused = [&](const std::string& content, const char* why) {
    EXPECT_ERROR(check_program({program("prog", content)}, std::nullopt), Errc::unsupported, why);
  };
  refused("", "not an ELF program");
  refused("echo no interpreter line\n", "not an ELF program");
  refused(elf_bytes({.interp = ""}).substr(0, 40), "not an ELF program");
  refused(elf_bytes({.machine = EM_AARCH64}), "another architecture (aarch64)");
  refused(elf_bytes({.type = ET_REL}), "not a program");
  refused(elf_bytes({.type = ET_EXEC, .interp = ""}), "statically linked");
  refused(elf_bytes({.interp = "/lib/ld-musl-x86_64.so.1"}), "not glibc's");
}

TEST_F(LaunchCheck, A32BitProgramIsRefused) {
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_386;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  const std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  EXPECT_ERROR(check_program({program("prog", bytes)}, std::nullopt), Errc::unsupported, "32-bit");
}

TEST_F(LaunchCheck, PrivilegedProgramsAreRefused) {
  EXPECT_ERROR(check_program({program("p", elf_bytes({}), 04755)}, std::nullopt), Errc::refused, "setuid");
  EXPECT_ERROR(check_program({program("p", elf_bytes({}), 02755)}, std::nullopt), Errc::refused, "setgid");
  EXPECT_OK(check_program({program("p", elf_bytes({}), 02745)}, std::nullopt));  // mandatory locking, not setgid
}

TEST_F(LaunchCheck, FileCapabilitiesAreRefused) {
  const std::string path = elf();
  const unsigned char capability[20] = {1, 0, 0, 2, 0, 4};  // version 2, CAP_NET_BIND_SERVICE
  if (::setxattr(path.c_str(), "security.capability", capability, sizeof capability, 0) != 0) {
    GTEST_SKIP() << "cannot set file capabilities here: " << std::strerror(errno);
  }
  EXPECT_ERROR(check_program({path}, std::nullopt), Errc::refused, "capabilities");
}

TEST_F(LaunchCheck, AMissingLoaderIsNamed) {
  EXPECT_ERROR(check_program({elf({.interp = "/nowhere/ld-linux-x86-64.so.2"})}, std::nullopt), Errc::not_found,
               "/nowhere/ld-linux-x86-64.so.2");
}

TEST_F(LaunchCheck, AScriptRunsAsItIsWhenItsInterpreterCan) {
  const std::string interpreter = elf();
  const std::string script = program("script", "#!" + interpreter + " -x\n");
  ASSERT_OK(found, check_program({script, "a"}, std::nullopt));
  EXPECT_EQ(found.path, script);
  EXPECT_EQ(found.argv, (std::vector<std::string>{script, "a"}));
  EXPECT_EQ(found.elf_path, interpreter);
}

TEST_F(LaunchCheck, EnvIsLookedThrough) {
  const std::string interpreter = elf();
  const std::string script = program("script", "#!/usr/bin/env prog\n");
  ASSERT_OK(found, check_program({script, "a"}, dir_.path()));
  EXPECT_EQ(found.path, interpreter);
  EXPECT_EQ(found.argv, (std::vector<std::string>{"prog", script, "a"}));
}

TEST_F(LaunchCheck, ChainsOfScriptsAreFollowedUpToABound) {
  std::string last = elf();
  for (int i = 0; i < 5; ++i) last = program("s" + std::to_string(i), "#!" + last + "\n");
  EXPECT_OK(check_program({last}, std::nullopt));
  EXPECT_ERROR(check_program({program("loop", "#!" + (dir_ / "loop") + "\n")}, std::nullopt), Errc::refused,
               "too long");
}

TEST_F(LaunchCheck, ABadInterpreterIsNamedWithItsScript) {
  const std::string script = program("script", "#!/nowhere/sh\n");
  EXPECT_ERROR(check_program({script}, std::nullopt), Errc::not_found, "the interpreter of \"" + script + "\"");
  const std::string is_static = program("static", elf_bytes({.type = ET_EXEC, .interp = ""}));
  EXPECT_ERROR(check_program({program("script", "#!" + is_static)}, std::nullopt), Errc::unsupported, "statically");
}

TEST(InterpreterLine, IsReadAsTheKernelReadsIt) {
  EXPECT_EQ(parse_interpreter_line("#!/bin/sh\nx"), (Interpreter{"/bin/sh", ""}));
  EXPECT_EQ(parse_interpreter_line("#! \t/bin/sh  -e  -x \t\nx"), (Interpreter{"/bin/sh", "-e  -x"}));
  EXPECT_EQ(parse_interpreter_line("#!/bin/sh"), (Interpreter{"/bin/sh", ""}));
  EXPECT_EQ(parse_interpreter_line("#!\n/bin/sh"), std::nullopt);
  EXPECT_EQ(parse_interpreter_line("#!"), std::nullopt);
  EXPECT_EQ(parse_interpreter_line("#"), std::nullopt);
  EXPECT_EQ(parse_interpreter_line(""), std::nullopt);
  EXPECT_EQ(parse_interpreter_line("\177ELF"), std::nullopt);
}

}  // namespace
}  // namespace xbdbg
