// Writes results as text for terminals, which is also Markdown, as CSV and as JSON.
#include "benzer/internal/text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/internal/json.h"
#include "benzer/research/experiments.h"

#include "research/experiments/words.h"

namespace benzer {
namespace {

constexpr std::size_t kLongestTable = 80;  // rows; longer tables are in the CSV only

constexpr std::size_t kWidth = 98;

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Appends words, and breaks lines before kWidth; continuation lines begin with `indent` blanks.
void append_wrapped(std::string& out, std::string_view first, std::size_t indent,
                    std::string_view text) {
  out += first;
  std::size_t at = letters(first);
  bool start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!start && at + 1 + letters(word) > kWidth) {
      out += '\n' + std::string(indent, ' ');
      at = indent;
    } else if (!start) {
      out += ' ';
      ++at;
    }
    start = false;
    out += word;
    at += letters(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

// Escapes a cell for Markdown, where a bar would end it.
std::string table_text(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return out;
}

void append_table(std::string& out, const ExperimentTable& table) {
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> numbers(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    numbers[c] = experiments::is_numeric(table, c);
    widths[c] = std::max<std::size_t>(3, letters(table_text(table.columns[c])));
    for (const auto& row : table.rows)
      widths[c] = std::max(widths[c], letters(table_text(row[c].text)));
  }
  const auto append_cell = [&](std::size_t c, const std::string& text) {
    const std::string gap(widths[c] - letters(text), ' ');
    out += ' ';
    if (numbers[c]) out += gap;
    out += text;
    if (!numbers[c]) out += gap;
    out += " |";
  };
  out += "|";
  for (std::size_t c = 0; c < columns; ++c) append_cell(c, table_text(table.columns[c]));
  out += "\n|";
  for (std::size_t c = 0; c < columns; ++c) {
    out += ' ';
    out.append(widths[c] - 1, '-');
    out += numbers[c] ? ": |" : "- |";
  }
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (std::size_t c = 0; c < columns; ++c) append_cell(c, table_text(row[c].text));
    out += "\n";
  }
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// A number as it is shown, without its commas; other cells as a quoted field.
std::string csv_cell(const ExperimentCell& cell) {
  if (!cell.number) return csv_field(cell.text);
  std::string out = cell.text;
  std::erase(out, ',');
  return out;
}

JsonObject json(const ExperimentTable& table) {
  JsonArray rows;
  for (const auto& row : table.rows) {
    JsonArray cells;
    for (const ExperimentCell& cell : row) {
      if (cell.number)
        cells.add(*cell.number);
      else if (cell.text == "-" || cell.text.empty())
        cells.raw("null");
      else
        cells.add(cell.text);
    }
    rows.add(cells);
  }
  JsonObject out;
  out.add("name", table.name).add("title", table.title);
  return out.add("columns", table.columns).add("rows", rows);
}

}  // namespace

ExperimentCell::ExperimentCell(double value, int decimals)
    : text(std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-") {
  // -0.000 is shown as 0.000.
  if (text.starts_with('-') && text.find_first_of("123456789") == text.npos && text.size() > 1)
    text.erase(0, 1);
  if (std::isfinite(value)) number = value;
}

ExperimentCell ExperimentCell::count(std::uint64_t value) {
  ExperimentCell out(with_separators(value));
  out.number = static_cast<double>(value);
  return out;
}

namespace experiments {

bool is_numeric(const ExperimentTable& table, std::size_t column) {
  bool some = false;
  for (const auto& row : table.rows) {
    const ExperimentCell& cell = row[column];
    if (!cell.number && !cell.text.empty() && cell.text != "-") return false;
    some = some || cell.number;
  }
  return some;
}

std::string command_line(const ExperimentResult& result) {
  std::string out = fmt::format("benzer eval {} --seed {}{}", result.name, result.seed,
                                result.full ? " --full" : "");
  const auto quoted = [&](std::string_view option, std::string_view value) {  // for a shell
    out += fmt::format(" {} '", option);
    for (const char c : value) out += c == '\'' ? "'\\''" : std::string(1, c);
    out += "'";
  };
  if (!result.data.empty()) quoted("--data", result.data);
  const ExperimentValues& values = result.values;
  if (values.slots) out += fmt::format(" --slots {}", *values.slots);
  if (values.bands) out += fmt::format(" --bands {}", *values.bands);
  if (values.eps) out += fmt::format(" --eps {}", *values.eps);
  if (values.threshold) out += fmt::format(" --threshold {}", *values.threshold);
  if (values.id) quoted("--id", *values.id);
  return out;
}

}  // namespace experiments

std::string experiment_text(const ExperimentResult& result) {
  std::string out;
  append_wrapped(out, "# ", 2, result.name + ": " + result.title);
  out += "\n";
  append_wrapped(out, "Document: ", 0, result.document);
  append_wrapped(out, "Parameters: ", 0, result.parameters);
  append_wrapped(out, "Does it hold? ", 0,
                 fmt::format("{}: {}", spelled(result.verdict.answer), result.verdict.why));
  out += fmt::format("Repeat: `{}`\n", experiments::command_line(result));
  out += fmt::format("Took: {:.1f} s\n\n", result.seconds);
  for (const std::string& finding : result.findings) append_wrapped(out, "- ", 2, finding);
  for (const ExperimentTable& table : result.tables) {
    out += "\n";
    append_wrapped(out, "## ", 3, table.title);
    out += "\n";
    if (table.rows.size() > kLongestTable) {
      out += fmt::format("{} rows, which the file {}.csv of --out has.\n", table.rows.size(),
                         table.name);
      continue;
    }
    append_table(out, table);
  }
  return out;
}

std::string experiment_csv(const ExperimentTable& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c > 0) out += ',';
    out += csv_field(table.columns[c]);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_cell(row[c]);
    }
    out += '\n';
  }
  return out;
}

std::string experiment_json(const ExperimentResult& result) {
  JsonArray tables, charts;
  for (const ExperimentTable& table : result.tables) tables.add(json(table));
  for (const ExperimentChart& chart : result.charts)
    charts.add(JsonObject().add("name", chart.name).add("title", chart.title));
  JsonObject out;
  out.add("experiment", result.name).add("title", result.title).add("document", result.document);
  out.add("parameters", result.parameters).add("command", experiments::command_line(result));
  out.add("seed", result.seed).add("full", result.full).add("seconds", result.seconds);
  out.add(
      "verdict",
      JsonObject().add("answer", spelled(result.verdict.answer)).add("why", result.verdict.why));
  out.add("findings", result.findings).add("tables", tables).add("charts", charts);
  return out.str() + "\n";
}

}  // namespace benzer
