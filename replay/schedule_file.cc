#include "replay/schedule_file.h"

#include <array>
#include <limits>

namespace xbdbg {
namespace {

struct KindRow {
  agent::ChoiceKind kind;
  char letter;
};
constexpr std::array kKinds = {
    KindRow{agent::ChoiceKind::thread, 't'},
    KindRow{agent::ChoiceKind::waiter, 'w'},
    KindRow{agent::ChoiceKind::timeout, 'e'},
};

struct PolicyRow {
  agent::PolicyKind policy;
  std::string_view name;
};
constexpr std::array kPolicies = {
    PolicyRow{agent::PolicyKind::first, "first"},
    PolicyRow{agent::PolicyKind::round_robin, "round-robin"},
    PolicyRow{agent::PolicyKind::random, "random"},
};

bool same_choice(const agent::Choice& a, const agent::Choice& b) {
  return a.kind == b.kind && a.alternatives == b.alternatives && a.chosen == b.chosen;
}

bool must_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f || c == '%';
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : text) {
    if (!must_escape(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

void append_line(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += ' ';
  append_escaped(out, value);
  out += '\n';
}

void append_run(std::string& out, const ScheduleRun& run) {
  for (const KindRow& row : kKinds) {
    if (row.kind == run.choice.kind) out += row.letter;
  }
  out += ' ';
  out += std::to_string(run.choice.chosen);
  if (run.count != 1) {
    out += " x";
    out += std::to_string(run.count);
  }
  out += " of ";
  out += std::to_string(run.choice.alternatives);
}

// ---------------------------------------------------------------------------------------------------------------

class Parser {
 public:
  Parser(std::string_view text, std::string_view name, const ScheduleLimits& limits)
      : text_(text), name_(name), limits_(limits) {}

  Result<Schedule> parse() {
    if (text_.size() > limits_.file_bytes) {
      return Error{Errc::bad_input,
                   std::string(name_) + ": larger than " + std::to_string(limits_.file_bytes) + " bytes",
                   "is this a schedule file?"};
    }
    XB_CHECK(header());
    XB_CHECK(body());
    if (result_.choices() != announced_) {
      return bad("the header says " + std::to_string(announced_) + " choices, but there are " +
                 std::to_string(result_.choices()));
    }
    return std::move(result_);
  }

 private:
  // The next line that is not empty or a comment; false at the end of the text. A last line without a newline was
  // cut off, and is not a line.
  Result<bool> next() {
    while (true) {
      ++line_number_;
      const std::size_t end = text_.find('\n');
      if (end == std::string_view::npos) {
        line_ = {};
        if (text_.empty()) return false;
        return bad("the file was cut off in the middle of a line");
      }
      line_ = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      if (line_.size() > limits_.line_bytes) {
        return bad("a line of more than " + std::to_string(limits_.line_bytes) + " bytes");
      }
      if (!line_.empty() && line_.front() != '#') return true;
    }
  }

  // The next line, which must start with "KEY ".
  Result<std::string_view> field(std::string_view key) {
    XB_TRY(const bool there, next());
    if (!there) return bad("expected \"" + std::string(key) + " ...\", found the end of the file");
    return value_of(key);
  }

  Result<std::string_view> value_of(std::string_view key) {
    if (!has_key(key)) return bad("expected \"" + std::string(key) + " ...\", found " + shown());
    return line_.substr(key.size() + 1);
  }

  bool has_key(std::string_view key) const {
    return line_.size() > key.size() && line_.substr(0, key.size()) == key && line_[key.size()] == ' ';
  }

  Result<> header() {
    XB_CHECK(version());
    ScheduleHeader& header = result_.header;
    XB_TRY(const std::string_view program, field("program"));
    XB_TRY(header.program, unescape(program));
    XB_TRY(bool there, next());
    while (there && has_key("argument")) {
      if (header.arguments.size() == limits_.arguments) {
        return bad("more than " + std::to_string(limits_.arguments) + " arguments");
      }
      XB_TRY(std::string argument, unescape(line_.substr(std::string_view("argument ").size())));
      header.arguments.push_back(std::move(argument));
      XB_TRY(there, next());
    }
    if (there && has_key("build-id")) {
      XB_CHECK(build_id(line_.substr(std::string_view("build-id ").size())));
      XB_TRY(there, next());
    }
    if (!there) return bad("expected \"policy ...\", found the end of the file");
    XB_TRY(const std::string_view policy, value_of("policy"));
    const auto kind = policy_from_name(policy);
    if (!kind) return bad("unknown policy " + quoted(policy));
    header.policy = *kind;
    XB_CHECK(number_field("seed", header.seed));
    XB_CHECK(number_field("events", header.events));
    XB_CHECK(number_field("choices", announced_));
    if (announced_ > limits_.choices) return bad("more than " + std::to_string(limits_.choices) + " choices");
    return Ok{};
  }

  Result<> version() {
    auto value = field("xbdbg-schedule");
    if (!value) {
      return Error{Errc::bad_input,
                   std::string(name_) + ": not a schedule (it does not start with \"xbdbg-schedule 1\")",
                   "schedules are made by: xbdbg run --save-schedule FILE -- PROG"};
    }
    if (*value == std::to_string(kScheduleVersion)) return Ok{};
    Error error = bad("version " + quoted(*value) + " of the format; this xbdbg reads version " +
                      std::to_string(kScheduleVersion));
    error.hint = "use the version of xbdbg that wrote the file, or make the schedule again";
    return error;
  }

  Result<> build_id(std::string_view text) {
    constexpr std::size_t kMaxDigits = 128;
    if (text.empty() || text.size() > kMaxDigits || text.size() % 2 != 0 ||
        text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
      return bad("a build-id is an even number of hexadecimal digits, found " + quoted(text));
    }
    result_.header.build_id = text;
    return Ok{};
  }

  Result<> body() {
    while (true) {
      XB_TRY(const bool there, next());
      if (!there) return bad("the file was cut off (there is no \"end\")");
      if (line_ == "end") break;
      XB_TRY(const ScheduleRun run, parse_run());
      if (run.count > announced_ - result_.choices()) {
        return bad("more choices than the header says (" + std::to_string(announced_) + ")");
      }
      result_.append(run);
    }
    const std::uint64_t last = line_number_;
    XB_TRY(const bool more, next());
    if (more) return bad("text after \"end\"");
    line_number_ = last;
    return Ok{};
  }

  Result<ScheduleRun> parse_run() {
    ScheduleRun run;
    run.line = static_cast<std::uint32_t>(line_number_);  // file_bytes bounds it
    rest_ = line_;
    bool known = false;
    for (const KindRow& row : kKinds) {
      if (rest_.substr(0, 1) == std::string_view(&row.letter, 1)) run.choice.kind = row.kind, known = true;
    }
    if (!known) return bad_run();
    rest_.remove_prefix(1);
    std::uint64_t chosen = 0, count = 1, alternatives = 0;
    if (!skip(" ") || !take_number(chosen, std::numeric_limits<std::uint32_t>::max())) return bad_run();
    if (skip(" x") && !take_number(count, std::numeric_limits<std::uint32_t>::max())) return bad_run();
    if (!skip(" of ") || !take_number(alternatives, std::numeric_limits<std::uint16_t>::max())) return bad_run();
    if (!rest_.empty()) return bad_run();
    if (count == 0) return bad("a choice made x0 times");
    if (alternatives < 2) return bad("a choice has at least 2 alternatives, found " + std::to_string(alternatives));
    if (run.choice.kind == agent::ChoiceKind::timeout && (chosen > 1 || alternatives != 2)) {
      return bad("a timed wait expires (\"e 1 of 2\") or does not (\"e 0 of 2\"), found " + shown());
    }
    run.choice.chosen = static_cast<std::uint32_t>(chosen);
    run.choice.alternatives = static_cast<std::uint16_t>(alternatives);
    run.count = static_cast<std::uint32_t>(count);
    return run;
  }

  bool skip(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  // A decimal number without leading zeros, at most `max`, from the front of rest_.
  bool take_number(std::uint64_t& value, std::uint64_t max) {
    std::size_t digits = 0;
    value = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      const auto digit = static_cast<std::uint64_t>(rest_[digits] - '0');
      if (value > (max - digit) / 10) return false;
      value = value * 10 + digit;
      ++digits;
    }
    const bool canonical = digits == 1 || (digits > 1 && rest_.front() != '0');
    rest_.remove_prefix(digits);
    return canonical;
  }

  Result<> number_field(std::string_view key, std::uint64_t& value) {
    XB_TRY(rest_, field(key));
    if (!take_number(value, std::numeric_limits<std::uint64_t>::max()) || !rest_.empty()) {
      return bad("expected \"" + std::string(key) + " NUMBER\", found " + shown());
    }
    return Ok{};
  }

  Result<std::string> unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        if (must_escape(text[i])) return bad("a control character that is not written as %XX");
        out += text[i];
        continue;
      }
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return bad("% without two hexadecimal digits");
      if (high == 0 && low == 0) return bad("%00 in a command line");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
    return out;
  }

  static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  }

  std::string quoted(std::string_view text) const {
    constexpr std::size_t kShown = 60;
    std::string out = "\"";
    append_escaped(out, text.substr(0, kShown));
    out += text.size() > kShown ? "...\"" : "\"";
    return out;
  }
  std::string shown() const { return quoted(line_); }

  Error bad(std::string what) const {
    return Error{Errc::bad_input, std::string(name_) + ":" + std::to_string(line_number_) + ": " + std::move(what)};
  }
  Error bad_run() const {
    return bad("expected \"t|w|e NUMBER [xCOUNT] of ALTERNATIVES\" or \"end\", found " + shown());
  }

  std::string_view text_, name_;
  const ScheduleLimits& limits_;
  std::string_view line_{}, rest_{};
  std::uint64_t line_number_ = 0;
  std::uint64_t announced_ = 0;
  Schedule result_{};
};

}  // namespace

void Schedule::append(const ScheduleRun& run) {
  choices_ += run.count;
  if (!runs_.empty() && run.line == runs_.back().line && same_choice(runs_.back().choice, run.choice) &&
      run.count <= std::numeric_limits<std::uint32_t>::max() - runs_.back().count) {
    runs_.back().count += run.count;
  } else {
    runs_.push_back(run);
  }
}

const ScheduleRun* Schedule::find(std::uint64_t step) const {
  for (const ScheduleRun& run : runs_) {
    if (step < run.count) return &run;
    step -= run.count;
  }
  return nullptr;
}

Result<Schedule> parse_schedule(std::string_view text, std::string_view name, const ScheduleLimits& limits) {
  return Parser(text, name, limits).parse();
}

std::string print_schedule(const Schedule& schedule) {
  const ScheduleHeader& header = schedule.header;
  std::string out = "xbdbg-schedule " + std::to_string(kScheduleVersion) + "\n";
  append_line(out, "program", header.program);
  for (const std::string& argument : header.arguments) append_line(out, "argument", argument);
  if (!header.build_id.empty()) append_line(out, "build-id", header.build_id);
  append_line(out, "policy", policy_name(header.policy));
  append_line(out, "seed", std::to_string(header.seed));
  append_line(out, "events", std::to_string(header.events));
  append_line(out, "choices", std::to_string(schedule.choices()));
  for (const ScheduleRun& run : schedule.runs()) {
    append_run(out, run);
    out += '\n';
  }
  out += "end\n";
  return out;
}

void expand_choices(const Schedule& schedule, std::span<agent::Choice> out) {
  XB_ASSERT(out.size() >= schedule.choices());
  std::size_t at = 0;
  for (const ScheduleRun& run : schedule.runs()) {
    for (std::uint32_t i = 0; i < run.count; ++i) out[at++] = run.choice;
  }
}

std::string print_run(const ScheduleRun& run) {
  std::string out;
  append_run(out, run);
  return out;
}

std::string_view policy_name(agent::PolicyKind policy) {
  for (const PolicyRow& row : kPolicies) {
    if (row.policy == policy) return row.name;
  }
  return "unknown";
}

std::optional<agent::PolicyKind> policy_from_name(std::string_view name) {
  for (const PolicyRow& row : kPolicies) {
    if (row.name == name) return row.policy;
  }
  return std::nullopt;
}

}  // namespace xbdbg
