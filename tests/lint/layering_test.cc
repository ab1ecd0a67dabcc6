// Folders include only the layers below them:
//
//   ui-tui -> gdbstub, explorer, replay -> tracer -> tracer/symbols, tracer/agent's contracts -> tracer/base
//
// What runs inside the target (tracer/agent, explorer/core) sees of tracer/base only headers that need no .cc file.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace xbdbg::test {
namespace {

struct Rule {
  std::string folder;                // the longest match decides
  std::vector<std::string> allowed;  // prefixes of paths, besides the folder itself
  bool inside_target = false;
};

const std::vector<Rule> kRules = {
    {"tracer/base/", {}},
    {"tracer/symbols/", {"tracer/base/"}},
    {"tracer/agent/", {"tracer/base/", "explorer/core/"}, true},
    {"tracer/",
     {"tracer/base/", "tracer/symbols/", "tracer/agent/protocol.h", "tracer/agent/journal_format.h",
      "tracer/agent/launch_env.h", "tracer/agent/syscall_table.h"}},
    {"replay/", {"tracer/"}},
    {"explorer/core/", {"tracer/base/", "tracer/agent/protocol.h"}, true},
    {"explorer/", {"tracer/", "replay/", "explorer/core/"}},
    {"gdbstub/", {"tracer/"}},
    {"ui-tui/", {"tracer/", "replay/", "explorer/", "gdbstub/"}},
    {"samples/", {}},
};

const Rule* rule_for(const std::string& path) {
  const Rule* best = nullptr;
  for (const Rule& rule : kRules) {
    if (path.starts_with(rule.folder) && (best == nullptr || rule.folder.size() > best->folder.size())) best = &rule;
  }
  return best;
}

bool needs_linking(const std::string& header) {
  const auto source = std::filesystem::path(XB_SOURCE_DIR) / std::filesystem::path(header).replace_extension(".cc");
  return std::filesystem::exists(source);
}

// Why `path` may not include `header`; "" if it may.
std::string objection(const std::string& path, const std::string& header) {
  const Rule* rule = rule_for(path);
  if (rule == nullptr) return "";  // tests may include anything
  const Rule* owner = rule_for(header);
  if (owner == nullptr) {
    return header.find('/') == std::string::npos ? "include it by its path from the root" : "not a layer";
  }
  if (owner == rule) return "";
  bool allowed = false;
  for (const std::string& prefix : rule->allowed) allowed = allowed || header.starts_with(prefix);
  if (!allowed) return rule->folder + " must not know it";
  if (rule->inside_target && header.starts_with("tracer/base/") && needs_linking(header)) {
    return "it has a .cc file, which the agent does not link";
  }
  return "";
}

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (!is_code(file)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      std::smatch match;
      if (file.lines[i].find("include") == std::string::npos || !std::regex_search(file.lines[i], match, kInclude)) {
        continue;
      }
      if (const auto why = objection(file.path, match[1]); !why.empty()) {
        found.push_back(at(file, i) + ": #include \"" + match[1].str() + "\": " + why);
      }
    }
  }
  return found;
}

TEST(Layering, FoldersIncludeOnlyTheLayersBelowThem) {
  EXPECT_EQ(violations(source_files()), std::vector<std::string>{});
}

TEST(Layering, AnUpwardIncludeIsFoundWithFileAndLine) {
  const SourceFile bad{"tracer/launch.cc", {"", "#include \"replay/trace.h\""}};
  EXPECT_EQ(violations({bad}),
            std::vector<std::string>{"tracer/launch.cc:2: #include \"replay/trace.h\": tracer/ must not know it"});
}

TEST(Layering, TheTableSaysWhatTheArchitectureSays) {
  EXPECT_EQ(objection("gdbstub/session.cc", "tracer/debug_target.h"), "");
  EXPECT_NE(objection("gdbstub/session.cc", "replay/timeline.h"), "");
  EXPECT_NE(objection("tracer/symbols/elf.cc", "tracer/ptrace.h"), "");
  EXPECT_NE(objection("tracer/base/log.cc", "tracer/ptrace.h"), "");
  EXPECT_EQ(objection("tracer/agent/switch.cc", "tracer/base/ids.h"), "");
  EXPECT_NE(objection("tracer/agent/switch.cc", "tracer/base/log.h"), "") << "log.h needs log.cc";
  EXPECT_NE(objection("tracer/launch.cc", "tracer/agent/scheduler.h"), "");
  EXPECT_EQ(objection("tracer/launch.cc", "tracer/agent/protocol.h"), "");
  EXPECT_NE(objection("samples/a.c", "tracer/base/ids.h"), "");
}

}  // namespace
}  // namespace xbdbg::test
