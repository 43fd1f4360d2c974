#include "task_reports.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "benzer/error.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

namespace benzer::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostReports = 20;
constexpr std::uint64_t kReportBytes = std::uint64_t{1} << 30;  // of all; the last is always kept
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::array<std::string_view, 3> kForms = {"json", "ndjson", "html"};

bool is_report(const fs::path& file) {
  const std::string form = file.extension().string();
  return std::any_of(kForms.begin(), kForms.end(),
                     [&](std::string_view one) { return form == "." + std::string(one); });
}

}  // namespace

std::string TaskReports::file(const std::string& task, std::string_view form) const {
  return folder_ + "/" + task + "." + std::string(form);
}

void TaskReports::write(const std::string& task, const DedupFindings& findings,
                        const std::atomic<bool>* stop) {
  OutputFile json(file(task, kForms[0])), lines(file(task, kForms[1])), page(file(task, kForms[2]));
  const auto into = [stop](OutputFile& out) {
    return [&out, stop](std::string_view piece) {
      throw_if_stopped(stop);
      out.write(piece);
    };
  };
  write_report_json(findings, into(json));
  write_report_lines(findings, into(lines));
  page.write(report_page(findings));
  for (OutputFile* out : {&json, &lines, &page}) out->finish();
  for (OutputFile* out : {&json, &lines, &page}) out->commit();
  drop_old();
}

std::optional<TaskReports::Pieces> TaskReports::read(const std::string& task,
                                                     std::string_view form) const {
  const std::shared_ptr<std::FILE> opened(std::fopen(file(task, form).c_str(), "rbe"),
                                          [](std::FILE* one) {
                                            if (one) std::fclose(one);
                                          });
  if (!opened) return std::nullopt;
  return [opened]() -> std::optional<std::string> {
    std::string piece(kPieceBytes, '\0');
    piece.resize(std::fread(piece.data(), 1, piece.size(), opened.get()));
    if (std::ferror(opened.get()) != 0)
      throw Error(ErrorCode::kStorageFailed, "the report cannot be read to its end");
    return piece.empty() ? std::nullopt : std::optional(std::move(piece));
  };
}

void TaskReports::remove(const std::string& task) {
  std::error_code ignored;
  for (const std::string_view form : kForms) fs::remove(file(task, form), ignored);
}

std::set<std::string> TaskReports::tasks() const {
  std::set<std::string> out;
  for (const fs::path& one : files())
    if (is_report(one)) out.insert(one.stem().string());
  return out;
}

void TaskReports::sweep() {
  std::error_code ignored;
  for (const fs::path& one : files())
    if (!is_report(one)) fs::remove(one, ignored);
}

std::vector<fs::path> TaskReports::files() const {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    out.push_back(at->path());
  return out;
}

void TaskReports::drop_old() {
  struct Known {
    fs::file_time_type time;
    std::string task;
  };
  std::vector<Known> known;
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".html")
      known.push_back({at->last_write_time(ignored), at->path().stem().string()});
  std::sort(known.begin(), known.end(),
            [](const Known& a, const Known& b) { return a.time > b.time; });
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (const std::string_view form : kForms) {
      const std::uint64_t size = fs::file_size(file(known[i].task, form), ignored);
      if (!ignored) bytes += size;
    }
    if (i > 0 && (i >= kMostReports || bytes > kReportBytes)) remove(known[i].task);
  }
}

}  // namespace benzer::server
