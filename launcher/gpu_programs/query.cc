// nvidia-smi --query-…: the fields that a script asks for, as comma-separated values.
#include <algorithm>

#include "launcher/gpu_programs/views.h"

namespace slipway::gpu_programs {
namespace {

std::string value_of(const Field& field, const Row& row, const CsvFormat& format) {
  const auto value = field.read(row);
  if (!value) return "[N/A]";
  return format.units && *field.unit != '\0' ? *value + " " + field.unit : *value;
}

std::string line_of(const std::vector<Field>& fields, const Row& row, const CsvFormat& format) {
  std::string line;
  for (const Field& field : fields) {
    if (!line.empty()) line += ", ";
    line += value_of(field, row, format);
  }
  return line + "\n";
}

}  // namespace

CsvFormat parse_format(const std::string& text) {
  CsvFormat format;
  bool csv = false;
  for (const std::string& word : split_list(text)) {
    if (word == "csv") {
      csv = true;
    } else if (word == "noheader") {
      format.header = false;
    } else if (word == "nounits") {
      format.units = false;
    } else {
      throw Exit(invalid_argument, fmt::format("\"{}\" is not a recognized --format option: use "
                                               "csv, noheader, nounits\n",
                                               word));
    }
  }
  if (!csv) throw Exit(invalid_argument, "--format needs csv: --format=csv[,noheader][,nounits]\n");
  return format;
}

std::vector<Field> chosen_fields(const std::vector<Field>& all, const std::string& names) {
  std::vector<Field> fields;
  for (const std::string& name : split_list(names)) {
    const Field* const field = find_field(all, name);
    if (field == nullptr) {
      throw Exit(invalid_argument,
                 fmt::format("Field \"{}\" is not a valid field to query.\n\n", name));
    }
    fields.push_back(*field);
  }
  return fields;
}

std::string csv_header(const std::vector<Field>& fields, const CsvFormat& format) {
  if (!format.header) return "";
  std::string line;
  for (const Field& field : fields) {
    if (!line.empty()) line += ", ";
    line += field.name;
    if (*field.unit != '\0') line += fmt::format(" [{}]", field.unit);
  }
  return line + "\n";
}

std::string csv_rows(const std::vector<Field>& fields, const std::vector<Device>& gpus, Rows rows,
                     const CsvFormat& format) {
  std::string text;
  for (const Device& gpu : gpus) {
    if (rows == Rows::gpus) {
      text += line_of(fields, {gpu, nullptr}, format);
      continue;
    }
    for (const Process& process : processes_on(gpu)) {
      text += line_of(fields, {gpu, &process}, format);
    }
  }
  return text;
}

}  // namespace slipway::gpu_programs
