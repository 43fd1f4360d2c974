// benzer serve: serves indexes over HTTP.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "benzer/error.h"

#include "../server/api.h"
#include "../server/http_server.h"
#include "../server/log_writer.h"
#include "../shared/choices.h"
#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/setting_text.h"
#include "../shared/settings.h"
#include "commands.h"
#include "messages.h"
#include "signals.h"
#include "stop_watch.h"

namespace benzer::cli {
namespace {

using namespace server;

constexpr int kMostCores = 8;  // cores beyond these get no worker
constexpr rlim_t kOtherFiles = 1024;
constexpr double kToClose = 2;  // seconds, for indexes, after the last request

// Refuses what else is given: it says how to serve, and nothing is served.
void check_only_new_key(const Options& options) {
  const auto refuse_other = [&](std::string_view given) {
    refuse(fmt::format("'{}' has no effect with --new-key, which makes a key and serves nothing",
                       given),
           fmt::format("write 'benzer serve --new-key {} >> FILE', and serve with --keys FILE",
                       *options.new_key));
  };
  if (!options.inputs.empty()) refuse_other(options.inputs.front());
  for (const OptionRow& row : option_table())
    if ((row.commands & kServe) != 0 && row.text != &Options::new_key && row.is_given(options))
      refuse_other(row.long_name());
}

int print_new_key(const Options& options) {
  constexpr std::array kScopes = {Scope::kRead, Scope::kWrite, Scope::kAdmin};
  const Scope scope = kScopes[choose("new_key", *options.new_key, kScopeNames)];
  check_only_new_key(options);
  const NewKey made = new_key(scope);
  print_result(made.line + "\n");
  print_on_stderr(
      fmt::format("benzer: the key is {}\n  it is shown only now; add the line on standard "
                  "output to the file of --keys\n",
                  made.key));
  return kDone;
}

bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1"; }

HttpOptions server_options_of(const Options& options, bool has_keys) {
  HttpOptions out;
  out.host = options.host.value_or("127.0.0.1");
  if (out.host == "localhost") out.host = "127.0.0.1";
  int port = 6363;
  if (options.port && (!read_whole(*options.port, &port) || port < 0 || port > 65535))
    refuse_value("port", *options.port, "give a number from 0 to 65535, 0 for any that is free");
  out.port = static_cast<std::uint16_t>(port);
  if (!is_loopback(out.host) && !has_keys)
    refuse(
        fmt::format("--host {} without keys would accept requests from any machine", out.host),
        "give --keys FILE (benzer serve --new-key read makes a line of it), or leave --host out");
  if (options.tls_certificate.has_value() != options.tls_key.has_value())
    refuse("--tls-certificate and --tls-key go together", "give both");
  out.tls_certificate = options.tls_certificate.value_or("");
  out.tls_key = options.tls_key.value_or("");
  out.allows_tls_12 = options.tls_12;
  out.threads = thread_count(options);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  // More than cores, because some wait for the disk, or for a server with an index.
  out.workers = 2 + 2 * static_cast<std::size_t>(std::clamp(cores, 1, kMostCores));
  // Many systems have a low soft limit for programs that use select(), which this one does not.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return out;
  if (files.rlim_cur < files.rlim_max) {
    const rlim_t before = std::exchange(files.rlim_cur, files.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0) files.rlim_cur = before;
  }
  // The other descriptors are for the files of indexes. If connections took all, no index could
  // write.
  out.connections = std::min<std::size_t>(
      out.connections, files.rlim_cur - std::min(files.rlim_cur / 2, kOtherFiles));
  return out;
}

enum class Log { kText, kJson, kNone };

Log read_log(const Options& options) {
  if (options.quiet) return Log::kNone;
  constexpr std::array kLogs = {Log::kText, Log::kJson, Log::kNone};
  return kLogs[choose("log", options.log.value_or("text"), kLogNames)];
}

double read_rate(const Options& options) {
  int rate = 0;
  if (options.rate && (!read_whole(*options.rate, &rate) || rate < 1 || rate > 1'000'000))
    refuse_value("rate", *options.rate, "give a number of requests from 1 to 1000000");
  return rate;
}

AllowedOrigins read_origins(const Options& options) {
  AllowedOrigins out(options.origins);
  if (out.has_all() && !options.keys)
    refuse("--allow-origin '*' without keys would let any web page read and change the indexes",
           "give --keys FILE, or name the pages' servers");
  return out;
}

// A level of the wrong kind would make each index fail to open.
OpenOptions read_open_options(const Options& options) {
  OpenOptions out = write_options(options);
  if (!out.durability) return out;
  const Durability level = out.durability->durability;
  const bool is_of_folder =
      level == Durability::kSync || level == Durability::kBatch || level == Durability::kNone;
  const bool is_folder = options.inputs.front().find("://") == std::string::npos;
  if (is_of_folder != is_folder)
    refuse_value("durability", *options.durability,
                 is_folder ? "for indexes in a folder give sync, batch or none"
                           : "for an index in Redis give memory, replicas:N or disk");
  return out;
}

// A malformed request has neither method nor target. A dash keeps the columns in place.
std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// The line about a request. It has the name of the key and not the key, and only the first 500
// bytes of the target, with control characters escaped.
std::string line_of(Log log, const Request& request, int status, std::uint64_t bytes) {
  const auto time = std::chrono::steady_clock::now() - request.start;
  const double ms = std::chrono::duration<double, std::milli>(time).count();
  const std::string target = request.target.substr(0, 500);
  const std::string key = request.key ? request.key->name : std::string();
  if (log == Log::kText)
    return fmt::format("{} {} {} {} {} {} {} {:.1f} ms {} bytes\n", time_now(), request.id,
                       request.client, or_dash(key), or_dash(request.method),
                       or_dash(printable(target)), status, ms, bytes);
  JsonObject line;
  line.add("at", time_now()).add("request", request.id).add("client", request.client);
  line.add_or_null("key", key)
      .add("method", request.method)
      .add("target", target)
      .add("status", status);
  return line.add("ms", ms).add("bytes", bytes).str() + "\n";
}

// The line about what fails in the background, where no request could answer with it.
std::string problem_line(std::string_view served, std::string_view problem) {
  return fmt::format(
      "benzer: {} {}: background work fails and is tried again with the next write: {}\n",
      time_now(), served, printable(problem));
}

}  // namespace

int run_serve(const Options& options) {
  if (options.new_key) return print_new_key(options);
  if (options.inputs.empty())
    refuse("'serve' needs a folder of indexes, or an index", "benzer serve ROOT");
  const Keys keys = options.keys ? Keys::read(*options.keys) : Keys();
  const AllowedOrigins origins = read_origins(options);
  const OpenOptions open = read_open_options(options);
  const HttpOptions settings = server_options_of(options, !keys.empty());
  // Few arenas, so that memory freed by one thread can serve another. Large pieces go back to the
  // system at once.
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  const std::atomic<bool>* stop = install_signal_handlers();
  StopWatch watch(settings.stop_seconds + kToClose);  // outlives the log, which may have to wait
  LogWriter log(STDERR_FILENO);
  ServedIndexes indexes(
      options.inputs.front(), options.seed ? std::optional(read_seed(options)) : std::nullopt,
      [&log](std::string_view served, std::string_view problem) {
        log.write(problem_line(served, problem));
      },
      open);
  for (const ServedIndexes::State& state : indexes.list()) {
    if (!state.served) {
      log.write(fmt::format("benzer: {}: {}\n", state.name, state.problem));
    } else if (const auto problem = state.served->index().maintenance_problem()) {
      log.write(problem_line(state.name, problem->error().what()));  // left by an earlier process
    }
  }
  ApiLimits limits;
  limits.requests_per_second = read_rate(options);
  const Log format = read_log(options);
  std::atomic<bool>* const reload_wanted =
      options.keys || options.tls_key ? install_reload_handler() : nullptr;
  {  // Api's destructor waits for the last task
    Api api(indexes, keys, limits, origins);
    if (const std::string& problem = api.folder().problem(); !problem.empty())
      log.write(fmt::format("benzer: {}\n", problem));
    std::function<void()> reload;
    HttpServer http(settings, {.admit = [&](Request& request) { return api.admit(request); },
                               .handle = [&](Request& request) { return api.handle(request); },
                               .refuse = &Api::refusal,
                               .answered =
                                   [&](const Request& request, int status, std::uint64_t bytes) {
                                     api.answered(request, status);
                                     if (format != Log::kNone &&
                                         (!options.log_writes || Api::is_write(request)))
                                       log.write(line_of(format, request, status, bytes));
                                   },
                               .now_and_then = [&] { reload(); },
                               .stopping =
                                   [&] {
                                     watch.start();
                                     api.drain();
                                   }});
    reload = [&] {
      if (!reload_wanted || !reload_wanted->exchange(false)) return;
      try {
        // All of them are read before one is used.
        const std::function<void()> use_tls_files = http.read_tls_files();
        std::optional<Keys> read;
        if (options.keys) read = Keys::read(*options.keys);
        use_tls_files();
        if (read) api.set_keys(std::move(*read));
        log.write("benzer: the files of keys and TLS were read again\n");
      } catch (const Error& error) {
        log.write(fmt::format("benzer: {}; the keys and certificates from before stay\n",
                              printable(sentence_of(error))));
      } catch (const std::bad_alloc&) {
        log.write("benzer: no memory to read keys and certificates; those from before stay\n");
      }
    };
    api.set_load([&http] { return http.load(); });
    log.write(fmt::format(
        "benzer: serving {} on {}://{}:{}/\n", index_name(options),
        settings.tls_key.empty() ? "http" : "https",
        settings.host.find(':') != std::string::npos ? "[" + settings.host + "]" : settings.host,
        http.port()));
    if (!is_loopback(settings.host) && settings.tls_key.empty() && !options.quiet)
      log.write(
          "benzer: keys and documents go over the network unencrypted: give --tls-certificate and "
          "--tls-key, or let only a proxy with TLS reach this server\n");
    http.run(*stop);
  }
  indexes.close();
  if (!options.quiet) log.write("benzer: stopped\n");
  return kDone;
}

}  // namespace benzer::cli
