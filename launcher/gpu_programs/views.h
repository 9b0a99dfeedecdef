// What nvidia-smi prints, one function for each way to ask.
#pragma once

#include <string>
#include <vector>

#include "launcher/gpu_programs/fields.h"

namespace slipway::gpu_programs {

struct CsvFormat {
  bool header = true, units = true;
};

// "csv,noheader,nounits". Throws Exit for another word, or without csv.
CsvFormat parse_format(const std::string& text);

enum class Rows { gpus, processes };

// The fields that a list of names asks for. Throws Exit for an unknown name.
std::vector<Field> chosen_fields(const std::vector<Field>& all, const std::string& names);
std::string csv_header(const std::vector<Field>& fields, const CsvFormat& format);
std::string csv_rows(const std::vector<Field>& fields, const std::vector<Device>& gpus, Rows rows,
                     const CsvFormat& format);

std::string list(const std::vector<Device>& gpus);      // -L
std::string summary(const std::vector<Device>& gpus);   // without options
std::string topology(const std::vector<Device>& gpus);  // topo -m
std::string nvlinks(const std::vector<Device>& gpus);   // nvlink -s

// -q, with the sections that `display` lists, or all. Throws Exit for an unknown one.
std::string report(const std::vector<Device>& gpus, const std::string& display);

}  // namespace slipway::gpu_programs
