// Writes and reads prepared modules.
#include "launcher/modules/prepared_modules.h"

#include <fmt/core.h>

#include <cereal/archives/binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <cstring>
#include <fstream>
#include <sstream>

#include "common/digest.h"
#include "common/error.h"
#include "launcher/expression/evaluate.h"

namespace slipway {
namespace {

// Spans are stored as offsets in their module file, whose position among the sources varies.
class Writer : public cereal::BinaryOutputArchive {
 public:
  Writer(std::ostream& stream, uint32_t begin)
      : cereal::BinaryOutputArchive(stream), begin_of_file(begin) {}
  const uint32_t begin_of_file;
};

// Reads what Writer wrote from memory: cereal's own archive asks a stream for every number.
class Reader : public cereal::InputArchive<Reader, cereal::AllowEmptyClassElision> {
 public:
  Reader(std::string_view bytes, uint32_t begin)
      : cereal::InputArchive<Reader, cereal::AllowEmptyClassElision>(this),
        begin_of_file(begin),
        rest_(bytes) {}

  void take(void* data, size_t size) {
    if (size > rest_.size()) throw Error("the file is incomplete");
    std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  const uint32_t begin_of_file;

 private:
  std::string_view rest_;
};

template <class T>
requires std::is_arithmetic_v<T>
void load(Reader& reader, T& number) {
  reader.take(&number, sizeof number);
}

template <class T>
void load(Reader& reader, cereal::BinaryData<T>& bytes) {
  reader.take(bytes.data, static_cast<size_t>(bytes.size));
}

template <class T>
void serialize(Reader& reader, cereal::SizeTag<T>& size) {
  reader(size.size);
}

template <class T>
void serialize(Reader& reader, cereal::NameValuePair<T>& named) {
  reader(named.value);
}

}  // namespace
}  // namespace slipway

// cereal compares the types that both sides of an enumeration have.
template <>
struct cereal::traits::detail::get_output_from_input<slipway::Reader> {
  using type = cereal::BinaryOutputArchive;
};

namespace slipway {
namespace source {

// An empty span stays empty.
void save(cereal::BinaryOutputArchive& archive, const Span& span) {
  const uint32_t shift = span ? static_cast<Writer&>(archive).begin_of_file - 1 : 0;
  archive(span.begin - shift, span.end - shift);
}

void load(Reader& archive, Span& span) {
  archive(span.begin, span.end);
  const uint32_t shift = span ? archive.begin_of_file - 1 : 0;
  span.begin += shift;
  span.end += shift;
}

}  // namespace source

namespace expression {

// A part that trees share is written for each, so that reading does not look for it.
template <class Archive>
void save(Archive& archive, const ExpressionPtr& expression) {
  archive(expression != nullptr);
  if (expression) archive(*expression);
}

template <class Archive>
void load(Archive& archive, ExpressionPtr& expression) {
  bool is_there = false;
  archive(is_there);
  if (!is_there) return;
  auto loaded = std::make_shared<Expression>();
  archive(*loaded);
  expression = std::move(loaded);
}

// Numbers are stored as text, since a long double has padding bytes. The concept keeps types that
// convert to Value from matching.
template <class Archive, std::same_as<Value> V>
void save(Archive& archive, const V& value) {
  const auto* number = std::get_if<Value::Number>(&value.data);
  archive(value.collection, value.sensitive, number != nullptr);
  if (number != nullptr) {
    archive(number_text(*number));
  } else {
    archive(value.data);
  }
}

template <class Archive, std::same_as<Value> V>
void load(Archive& archive, V& value) {
  bool is_number = false;
  archive(value.collection, value.sensitive, is_number);
  if (is_number) {
    std::string text;
    archive(text);
    value.data = parse_number(text).value();
  } else {
    archive(value.data);
  }
}

template <class Archive, class Parts>
void save(Archive& archive, const Shared<Parts>& shared) {
  archive(*shared.get());
}

template <class Archive, class Parts>
void load(Archive& archive, Shared<Parts>& shared) {
  archive(shared.edit());
}

template <class Archive>
void serialize(Archive& archive, Unknown& unknown) {
  archive(unknown.expression, unknown.module);
}

template <class Archive>
void serialize(Archive& archive, Type& type) {
  archive(type.kind, type.elements, type.attributes);
}

template <class Archive>
void serialize(Archive& archive, Type::Attribute& attribute) {
  archive(attribute.name, attribute.type, attribute.optional, attribute.default_value);
}

template <class Archive>
void serialize(Archive& archive, Literal& literal) {
  archive(literal.value);
}

template <class Archive>
void serialize(Archive& archive, Template& text) {
  archive(text.parts);
}

template <class Archive>
void serialize(Archive& archive, TemplateIf& part) {
  archive(part.condition, part.yes, part.no);
}

template <class Archive>
void serialize(Archive& archive, TemplateFor& part) {
  archive(part.key_name, part.value_name, part.collection, part.body);
}

template <class Archive>
void serialize(Archive& archive, Step& step) {
  archive(step.kind, step.name, step.key, step.span);
}

template <class Archive>
void serialize(Archive& archive, Traversal& traversal) {
  archive(traversal.root, traversal.base, traversal.steps);
}

// A wrong call fails the build, so those that are read need no check.
template <class Archive>
void save(Archive& archive, const Call& call) {
  check_call(call);
  archive(call.function, call.name_span, call.arguments, call.spread);
}

template <class Archive>
void load(Archive& archive, Call& call) {
  archive(call.function, call.name_span, call.arguments, call.spread);
}

template <class Archive>
void serialize(Archive& archive, Unary& unary) {
  archive(unary.sign, unary.operand);
}

template <class Archive>
void serialize(Archive& archive, Binary& binary) {
  archive(binary.op, binary.left, binary.right);
}

template <class Archive>
void serialize(Archive& archive, Conditional& conditional) {
  archive(conditional.condition, conditional.yes, conditional.no);
}

template <class Archive>
void serialize(Archive& archive, Parenthesis& parenthesis) {
  archive(parenthesis.inner);
}

template <class Archive>
void serialize(Archive& archive, Tuple& tuple) {
  archive(tuple.items, tuple.form);
}

template <class Archive>
void serialize(Archive& archive, ObjectItem& item) {
  archive(item.key, item.value, item.quoted_key);
}

template <class Archive>
void serialize(Archive& archive, ObjectExpression& object) {
  archive(object.items, object.form);
}

template <class Archive>
void serialize(Archive& archive, For& loop) {
  archive(loop.key_name, loop.value_name, loop.collection, loop.result_key, loop.result,
          loop.condition, loop.grouped);
}

template <class Archive>
void save(Archive& archive, const Expression& expression) {
  archive(expression.span, expression.node, expression.nodes);
}

template <class Archive>
void load(Archive& archive, Expression& expression) {
  archive(expression.span, expression.node, expression.nodes);
  expression.calls_are_right = true;
}

}  // namespace expression

namespace modules {

template <class Archive>
void serialize(Archive& archive, Input& input) {
  archive(input.name, input.span, input.type, input.required, input.nullable, input.default_value,
          input.help, input.one_of, input.gone, input.no_effect, input.places);
}

template <class Archive>
void serialize(Archive& archive, Output& output) {
  archive(output.name, output.span, output.value, output.type, output.help, output.sensitive);
}

// Without the body, which is read only on demand.
template <class Archive>
void serialize(Archive& archive, Resource& resource) {
  archive(resource.type, resource.name, resource.looked_up, resource.span, resource.for_each,
          resource.when, resource.depends_on);
}

template <class Archive>
void serialize(Archive& archive, ToolkitInstead& instead) {
  archive(instead.when_set, instead.ours, instead.call, instead.call.body);
}

template <class Archive>
void serialize(Archive& archive, Rule& rule) {
  archive(rule.that, rule.at, rule.message, rule.warning);
}

template <class Archive>
void serialize(Archive& archive, Interface& interface) {
  archive(interface.path, interface.about, interface.kind, interface.inputs, interface.outputs,
          interface.rules, interface.locals, interface.apis, interface.id_input,
          interface.must_be_used, interface.resources, interface.packer_template, interface.model,
          interface.local, interface.toolkit_instead);
}

template <class Archive>
void serialize(Archive& archive, PreparedModules::Entry& entry) {
  archive(entry.digest, entry.offset, entry.size);
}

namespace {

// Increase the number when the format changes.
const std::string format = "slipway modules " SLIPWAY_VERSION " 3";

std::string read_part(const std::filesystem::path& file, uint64_t begin, uint64_t size) {
  std::string part(size, 0);
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  stream.read(part.data(), static_cast<std::streamsize>(size));
  if (!stream) throw Error(fmt::format("{} is incomplete", file.string()));
  return part;
}

}  // namespace

PreparedModules::PreparedModules(const std::filesystem::path& directory)
    : file_(directory / file_name) {
  std::ifstream stream(file_, std::ios::binary);
  if (!stream) return;
  try {
    cereal::BinaryInputArchive archive(stream);
    std::string made_by;
    archive(made_by);
    if (made_by != format) return;
    archive(index_);
    begin_ = static_cast<uint64_t>(stream.tellg());
  } catch (const std::exception&) {
    index_.clear();
  }
}

std::optional<Interface> PreparedModules::find(const std::string& path, Span file,
                                               const source::Sources& sources,
                                               Bodies bodies) const {
  const auto entry = index_.find(path);
  if (entry == index_.end() || entry->second.digest != digest_of(sources.text(file))) {
    return std::nullopt;
  }
  try {
    const std::string part = read_part(file_, begin_ + entry->second.offset, entry->second.size);
    Reader archive(part, file.begin);
    Interface interface;
    archive(interface);
    if (bodies == Bodies::read && interface.resources) {
      for (Resource& resource : *interface.resources) archive(resource.body);
    }
    return interface;
  } catch (const std::exception&) {
    return std::nullopt;  // the file is incomplete
  }
}

std::string PreparedModules::prepare(const std::map<std::string, Read>& modules,
                                     const source::Sources& sources) {
  std::map<std::string, Entry> index;
  std::ostringstream bodies;
  for (const auto& [path, read] : modules) {
    const auto begin = static_cast<uint64_t>(bodies.tellp());
    Writer archive(bodies, read.file.begin);
    archive(read.interface);
    if (read.interface.resources) {
      for (const Resource& resource : *read.interface.resources) archive(resource.body);
    }
    const uint64_t size = static_cast<uint64_t>(bodies.tellp()) - begin;
    index[path] = {digest_of(sources.text(read.file)), begin, size};
  }
  std::ostringstream whole;
  cereal::BinaryOutputArchive archive(whole);
  archive(format, index);
  return whole.str() + bodies.str();
}

}  // namespace modules
}  // namespace slipway
