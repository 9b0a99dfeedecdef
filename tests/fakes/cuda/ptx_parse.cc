// Reads PTX text into instructions.
#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "tests/fakes/cuda/ptx.h"
#include "tests/fakes/cuda/ptx_operations.h"

namespace fake {
namespace {

struct Form {
  const char* name;
  const char* how;
  Operation operation;
  size_t operands;
};

constexpr std::array<Form, 33> forms = {{
    {"mov", "", op_mov, 2},
    {"add", "", op_add, 3},
    {"sub", "", op_sub, 3},
    {"mul", "lo", op_mul_lo, 3},
    {"mul", "wide", op_mul_wide, 3},
    {"mul", "rn", op_mul_float, 3},
    {"mad", "lo", op_mad_lo, 4},
    {"fma", "rn", op_fma_float, 4},
    {"cvta", "to.global", op_mov, 2},
    {"div", "", op_div, 3},
    {"min", "", op_min, 3},
    {"max", "", op_max, 3},
    {"shr", "", op_shr, 3},
    {"shl", "", op_shl, 3},
    {"and", "", op_and, 3},
    {"or", "", op_or, 3},
    {"xor", "", op_xor, 3},
    {"not", "", op_not, 2},
    {"cvt", "u64", op_cvt, 2},
    {"cvt", "u32", op_cvt_to_32, 2},
    {"selp", "", op_selp, 4},
    {"setp", "eq", op_setp_eq, 3},
    {"setp", "ne", op_setp_ne, 3},
    {"setp", "lt", op_setp_lt, 3},
    {"setp", "le", op_setp_le, 3},
    {"setp", "gt", op_setp_gt, 3},
    {"setp", "ge", op_setp_ge, 3},
    {"bra", "", op_bra, 1},
    {"ret", "", op_ret, 0},
    {"ld", "param", op_ld_param, 2},
    {"ld", "global", op_ld_global, 2},
    {"st", "global", op_st_global, 2},
    {"red", "global.add", op_red_add, 2},
}};

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, mark);) parts.push_back(trimmed(part));
  return parts;
}

int bits_of(const std::string& type, const std::string& line) {
  if (type == "pred") return 1;
  const int bits = type.size() > 1 ? std::atoi(type.c_str() + 1) : 0;
  const bool known = type[0] == 'u' || type[0] == 'b' || type == "f32";
  if (!known || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    throw std::runtime_error("unknown type in: " + line);
  return bits;
}

class Reader {
 public:
  explicit Reader(const std::string& header) {
    const size_t open = header.find('(');
    kernel_.name = trimmed(header.substr(0, open));
    std::string inside = header.substr(open + 1);
    for (const std::string& one : split_at(inside.substr(0, inside.find(')')), ',')) {
      std::istringstream words(one);  // .param .u64 name
      std::string space, type, name;
      words >> space >> type >> name;
      if (space != ".param") throw std::runtime_error("not a parameter: " + one);
      parameters_[name] = static_cast<int>(kernel_.parameter_bytes.size());
      kernel_.parameter_bytes.push_back(bits_of(type.substr(1), one) / 8);
    }
  }

  void statement(std::string text) {
    for (size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':')) {
      labels_[trimmed(text.substr(0, colon))] = static_cast<int64_t>(kernel_.instructions.size());
      text = trimmed(text.substr(colon + 1));
    }
    if (text.empty()) return;
    if (text.starts_with(".reg")) return declare(text);
    instruction(text);
  }

  Kernel finish() {
    for (const auto& [at, label] : jumps_) {
      if (!labels_.contains(label)) throw std::runtime_error("no label " + label);
      kernel_.instructions[at].target = labels_[label];
    }
    kernel_.registers = static_cast<int>(registers_.size());
    return std::move(kernel_);
  }

 private:
  // .reg .b64 %d<9>, %one;
  void declare(const std::string& text) {
    const std::string list = text.substr(text.find('%'));
    for (const std::string& one : split_at(list, ',')) {
      const size_t range = one.find('<');
      if (range == std::string::npos) {
        registers_.emplace(one, static_cast<int>(registers_.size()));
        continue;
      }
      for (int i = 0; i < std::atoi(one.c_str() + range + 1); ++i)
        registers_.emplace(one.substr(0, range) + std::to_string(i),
                           static_cast<int>(registers_.size()));
    }
  }

  // A register, or a constant, which gets a register of its own.
  int operand(std::string text, Instruction& made) {
    if (text.front() == '[') text = trimmed(text.substr(1, text.size() - 2));
    static const std::array<std::string, 4> special = {"%tid.x", "%ntid.x", "%ctaid.x",
                                                       "%nctaid.x"};
    const auto found = std::ranges::find(special, text);
    if (found != special.end()) return -2 - static_cast<int>(found - special.begin());
    if (text.front() == '%') {
      if (!registers_.contains(text)) throw std::runtime_error("undeclared register " + text);
      return registers_[text];
    }
    // The bits of a float: 0f3F800000 is 1.
    if (text.size() == 10 && (text.starts_with("0f") || text.starts_with("0F"))) text[1] = 'x';
    if (text.find_first_not_of("0123456789abcdefxABCDEFU") != std::string::npos)
      throw std::runtime_error("unknown operand " + text);
    made.constants.push_back(std::strtoull(text.c_str(), nullptr, 0));
    return -100 - static_cast<int>(made.constants.size()) + 1;
  }

  void instruction(std::string text) {
    Instruction made;
    const std::string line = text;
    if (text.front() == '@') {
      const size_t space = text.find(' ');
      made.guard_wanted = text[1] != '!';
      const std::string name =
          text.substr(made.guard_wanted ? 1 : 2, space - (made.guard_wanted ? 1 : 2));
      if (!registers_.contains(name)) throw std::runtime_error("undeclared predicate " + name);
      made.guard = registers_[name];
      text = trimmed(text.substr(space));
    }
    const size_t space = text.find_first_of(" \t");
    const std::vector<std::string> words = split_at(text.substr(0, space), '.');
    const std::vector<std::string> operands =
        space == std::string::npos ? std::vector<std::string>{} : split_at(text.substr(space), ',');
    made.name = words.front();
    const bool typed = made.name != "bra" && made.name != "ret";
    if (typed) made.type = words.back();
    for (size_t i = 1; i + (typed ? 1 : 0) < words.size(); ++i)
      made.how += (i > 1 ? "." : "") + words[i];
    const auto form = std::ranges::find_if(forms, [&](const Form& one) {
      return made.name == one.name && made.how == one.how && operands.size() == one.operands;
    });
    if (form == forms.end()) throw std::runtime_error("unknown instruction: " + line);
    made.code = form->operation;
    if (typed) made.bits = bits_of(made.type, line);
    // Rounding is of floating-point numbers, which nothing else here calculates with.
    const bool is_float = made.code == op_mul_float || made.code == op_fma_float;
    const bool moves =
        made.code == op_mov || made.code == op_ld_global || made.code == op_st_global;
    if ((made.type == "f32") != is_float && !(made.type == "f32" && moves))
      throw std::runtime_error("wrong type in: " + line);
    resolve(made, operands);
    kernel_.instructions.push_back(std::move(made));
  }

  void resolve(Instruction& made, const std::vector<std::string>& operands) {
    if (made.code == op_bra) {
      jumps_.emplace_back(kernel_.instructions.size(), operands.front());
      return;
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (made.code == op_ld_param && i == 1) {
        const std::string name = trimmed(operands[i].substr(1, operands[i].size() - 2));
        if (!parameters_.contains(name)) throw std::runtime_error("no parameter " + name);
        made.target = parameters_[name];
        continue;
      }
      made.operands.push_back(operand(operands[i], made));
    }
  }

  Kernel kernel_;
  std::map<std::string, int> parameters_, registers_;
  std::map<std::string, int64_t> labels_;
  std::vector<std::pair<size_t, std::string>> jumps_;
};

std::string without_comments(const std::string& text) {
  std::string kept;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) kept += line.substr(0, line.find("//")) + "\n";
  return kept;
}

}  // namespace

std::map<std::string, Kernel> parse_ptx(const std::string& text) {
  std::map<std::string, Kernel> kernels;
  const std::string source = without_comments(text);
  for (const char* needed : {".version", ".target", ".address_size 64"}) {
    if (source.find(needed) == std::string::npos)
      throw std::runtime_error(std::string("no ") + needed);
  }
  constexpr std::string_view entry = ".visible .entry";
  for (size_t at = source.find(entry); at != std::string::npos; at = source.find(entry, at)) {
    at += entry.size();
    const size_t open = source.find('{', at), close = source.find('}', open);
    if (close == std::string::npos) throw std::runtime_error("an entry has no end");
    Reader reader(source.substr(at, open - at));
    for (const std::string& one : split_at(source.substr(open + 1, close - open - 1), ';'))
      reader.statement(one);
    Kernel kernel = reader.finish();
    kernels[kernel.name] = std::move(kernel);
  }
  return kernels;
}

}  // namespace fake
