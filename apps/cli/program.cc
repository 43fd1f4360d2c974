// Chooses the command, and turns whatever goes wrong into one sentence and an exit code.
#include "program.h"

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/output.h"
#include "benzer/research/register.h"

#include "../shared/json.h"
#include "../shared/options.h"
#include "../shared/settings.h"
#include "commands.h"
#include "descriptors.h"
#include "help.h"
#include "messages.h"
#include "parse_options.h"
#include "places.h"
#include "signals.h"
#include "table_files.h"

namespace benzer::cli {
namespace {

constexpr int kUsage = 2;
constexpr int kFailed = 70;  // not one of the documented codes: a bug, or out of memory

// Prints a failure: one sentence, or with --json an object that also has the parts of the error.
void report(std::string_view name, const std::string& sentence, int code, bool json,
            const Error* error = nullptr) {
  if (!json) {
    print_error(sentence);
    return;
  }
  JsonObject out;
  out.add("error", name).add("message", sentence);
  if (error) {
    const Subject& subject = error->subject();
    if (subject.kind == Subject::Kind::kFile || subject.kind == Subject::Kind::kPlace)
      out.add("file", subject.name);
    if (subject.kind == Subject::Kind::kPlace) out.add("line", subject.line);
    if (subject.kind == Subject::Kind::kIndex) out.add("index", subject.name);
    if (!error->hint().empty()) out.add("hint", in_words(error->hint()));
  }
  print_on_stderr(out.add("exit_code", code).str() + "\n");
}

int run_command(const CommandRow& command, const std::vector<std::string>& arguments) {
  const Options options = parse_options(command, arguments);
  if (options.help || options.help_all) {
    print_result(command_help(command, options.help_all ? Level::kRare : Level::kCommon));
    return kDone;
  }
  hand_over_tables(options, arguments);
  apply_cpu(options);
  check_places(options, places_to_write(options), nullptr);
  switch (command.command) {
    case kDedup:
      return run_dedup(options);
    case kPairs:
      return run_pairs(options);
    case kClusters:
      return run_clusters(options);
    case kReview:
      return run_review(options);
    case kSketch:
      return run_sketch(options);
    case kAudit:
      return run_audit(options);
    case kIndex:
      return run_index(options);
    case kSimilar:
      return run_similar(options);
    case kCheckAndAdd:
      return run_check_and_add(options);
    case kUpdate:
      return run_update(options);
    case kGet:
      return run_get(options);
    case kRemove:
      return run_remove(options);
    case kList:
      return run_list(options);
    case kStats:
      return run_stats(options);
    case kVerify:
      return run_verify(options);
    case kCompact:
      return run_compact(options);
    case kSnapshot:
      return run_snapshot(options);
    case kCompare:
      return run_compare(options);
    case kPlan:
      return run_plan(options);
    case kExplain:
      return run_explain(options);
    case kEval:
      return run_eval(options);
    case kServe:
      return run_serve(options);
    case kTrainWords:
      return run_train_words(options);
    case kCountFrequencies:
      return run_count_frequencies(options);
    case kPassages:
      return run_passages(options);
    case kCompletions:
      return run_completions(options);
    case kMan:
      return run_man(options);
    case kDemo:
      return run_demo(options);
  }
  return kFailed;
}

// Refuses words after those that need none, which would be ignored.
void check_no_more(const std::vector<std::string>& arguments, std::size_t taken,
                   const std::string& advice) {
  if (arguments.size() <= taken) return;
  refuse(fmt::format("'{}' after '{}' has no effect", arguments[taken], arguments[taken - 1]),
         advice);
}

int guarded(const std::vector<std::string>& arguments) {
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  try {
    return run_arguments(arguments);
  } catch (const StdoutClosed&) {
    // A reader that closes the pipe early (head, a pager) is no failure: end as quietly as grep
    // and ripgrep do.
    return kDone;
  } catch (const Error& error) {
    const int code = exit_code(error.code());
    report(error_name(error.code()), sentence_of(error), code, json, &error);
    return code;
  } catch (const std::bad_alloc&) {
    report("out_of_memory", "not enough memory: give the run fewer documents, or more memory",
           kFailed, json);
  } catch (const std::exception& error) {
    report("internal", fmt::format("internal error: {}", error.what()), kFailed, json);
  }
  return kFailed;
}

}  // namespace

int run_arguments(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_on_stderr(program_help());
    return kUsage;
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) {
    const CommandRow& command = named_command(arguments[1]);
    check_no_more(arguments, 2, fmt::format("write benzer help {}", command.name));
    return run_command(command, {"--help"});
  }
  if (first == "--help" || first == "-h" || first == "help") {
    check_no_more(arguments, 1, "write benzer help COMMAND for the help of one");
    print_result(program_help());
    return kDone;
  }
  if (first == "--version" || first == "-V") {
    check_no_more(arguments, 1, fmt::format("write benzer {}", first));
    print_result(program_version());
    return kDone;
  }
  return run_command(named_command(first), {arguments.begin() + 1, arguments.end()});
}

int run_program(const std::vector<std::string>& arguments) {
  occupy_closed_descriptors();
  register_research();  // before any configuration is read
  allow_many_files();
  install_clean_exits();
  return guarded(arguments);
}

}  // namespace benzer::cli
