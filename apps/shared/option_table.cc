// Spells and describes each option in one place.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "choices.h"
#include "options.h"

namespace benzer::apps {
namespace {

constexpr unsigned kWriters = kDedup | kPairs;       // commands that write records
constexpr unsigned kRuns = kWriters | kAudit;        // commands that go through a corpus
constexpr unsigned kTexts = kCompare | kExplain;     // commands that look at single texts
constexpr unsigned kConfigured = kRuns | kTexts;     // commands that extract features
constexpr unsigned kComparers = kRuns | kPlan;       // plan --corpus reads a corpus, too
constexpr unsigned kReaders = kComparers | kSketch;  // commands that read a corpus
constexpr unsigned kInputs =
    kReaders | kCountFrequencies;                       // the same, and the one that only counts
constexpr unsigned kTextReaders = kInputs | kPassages;  // the same, and the one of texts only
constexpr unsigned kPlanners = kConfigured | kPlan;     // commands with a threshold
constexpr unsigned kExtractors = kPlanners | kSketch;   // commands with features and a sketch
constexpr unsigned kFeeders = kIndex | kCheckAndAdd;    // commands that put documents into an index
constexpr unsigned kWholeIndex = kDedup | kPairs | kAudit | kClusters;  // about all of an index
constexpr unsigned kIndexes = kFeeders | kUpdate | kSimilar | kGet | kRemove | kList | kStats |
                              kVerify | kCompact | kSnapshot | kClusters;  // commands on an index
constexpr unsigned kAboutProgram = kCompletions | kMan | kDemo;  // commands about the program

constexpr OptionRow text_row(std::string_view names, std::string_view value,
                             std::optional<std::string> Options::* target, unsigned commands,
                             Section section, std::string_view help) {
  return {names, value, help, commands, section, Level::kCommon, target, nullptr};
}

constexpr OptionRow list_row(std::string_view names, std::string_view value,
                             std::vector<std::string> Options::* target, unsigned commands,
                             Section section, std::string_view help) {
  return {names, value, help, commands, section, Level::kCommon, nullptr, nullptr, target};
}

// A list option that may be given once with several values: --against A B C.
constexpr OptionRow greedy(OptionRow row) {
  row.greedy = true;
  return row;
}

// An option whose value is a file or a folder.
constexpr OptionRow path_row(PathRole role, OptionRow row) {
  row.path = role;
  return row;
}

// An option whose value is one of these words.
constexpr OptionRow choice_row(std::span<const std::string_view> choices, OptionRow row) {
  row.choices = choices;
  return row;
}

constexpr OptionRow flag_row(std::string_view names, bool Options::* target, unsigned commands,
                             Section section, std::string_view help) {
  return {names, "", help, commands, section, Level::kCommon, nullptr, target};
}

// An option that few people need: --help leaves it out, --help-all has it.
constexpr OptionRow rare(OptionRow row) {
  row.level = Level::kRare;
  return row;
}

constexpr std::array kOptions = {
    flag_row("--create", &Options::create, kFeeders, Section::kInput,
             "make the INDEX if there is none [an index that is missing is an error]"),
    flag_row("--bulk", &Options::bulk, kIndex, Section::kInput,
             "sort all documents straight into one segment: faster, and adds all of them or none; "
             "no other process may write to the index meanwhile [off]"),
    flag_row("--list", &Options::list, kEval, Section::kInput, "name the experiments, and exit"),
    flag_row("--all", &Options::all, kEval, Section::kInput, "run all experiments [those named]"),
    path_row(
        PathRole::kRead,
        text_row("--data", "DIR", &Options::data, kEval, Section::kInput,
                 "folder of texts for experiments that read some [texts made up from the seed]")),
    flag_row("--full", &Options::full, kEval, Section::kInput,
             "as many runs as the document made, or more; may take minutes [under a minute each]"),
    list_row(
        "--field", "NAME=SPEC", &Options::fields, kVerify, Section::kInput,
        "with --repair, if the file BENZER is damaged: the fields that the index was made with"),
    list_row("--field", "NAME=SPEC", &Options::fields, kFeeders, Section::kInput,
             "of a new index, for each field: how its features are made, and its weight "
             "(title=text:word3;w=2, tags=values) [text=text:word5]"),
    list_row("--attribute", "NAME=KIND", &Options::attributes, kFeeders, Section::kInput,
             "of a new index, for each attribute that it keeps of documents: string, number, time "
             "or boolean (lang=string, seen=time) [none]"),
    list_row("--attribute", "NAME=KIND", &Options::attributes, kVerify, Section::kInput,
             "as --field: the attributes that the index was made with"),
    text_row("--ttl", "TIME", &Options::ttl, kFeeders, Section::kInput,
             "of a new index: documents expire this long after they were put in (90s, 15m, 12h, "
             "30d), unless they have expires_at [never]"),
    flag_row("--expired", &Options::expired, kRemove, Section::kInput,
             "remove the documents that have expired, in place of given ones [off]"),
    path_row(
        PathRole::kRead,
        text_row(
            "--like", "FILE", &Options::like, kSimilar, Section::kInput,
            "documents to find others for: read as an INPUT of 'index' is; - is standard input")),
    text_row("--id", "ID", &Options::like_id, kSimilar, Section::kInput,
             "the document of the index to find others for"),
    text_row("--document", "JSON", &Options::document, kSimilar, Section::kInput,
             "one document to find others for, as a JSON object"),
    path_row(PathRole::kRead,
             text_row("--ids", "FILE", &Options::ids, kGet | kRemove, Section::kInput,
                      "more ids, one a line as 'list' prints them; - is standard input")),
    flag_row("--corpus", &Options::corpus, kPlan, Section::kInput,
             "measure on the INPUTs what the plan and its alternatives would cost there [off]"),
    rare(choice_row(
        kFormatNames,
        text_row("--format", "KIND", &Options::format, kTextReaders | kFeeders | kSimilar,
                 Section::kInput,
                 "auto (by name and first byte), jsonl, csv, tsv, text (every file a document) or "
                 "lines (every line one) [auto]"))),
    text_row("--id", "FIELD", &Options::id, kReaders | kPassages, Section::kInput,
             "field that names a document, in place of its number; meta.id is the field id of the "
             "object meta, here and in other options [id]"),
    text_row("--id", "FIELD", &Options::id, kFeeders | kUpdate, Section::kInput,
             "field or column that names a document [id]"),
    text_row("--text", "FIELD", &Options::text, kTextReaders, Section::kInput,
             "field or column that holds the text [text]"),
    text_row("--values", "FIELD", &Options::values, kInputs, Section::kInput,
             "compare the sets of strings in this JSON field instead of texts [none]"),
    greedy(path_row(
        PathRole::kRead,
        list_row("--against", "FILE...", &Options::against, kReaders, Section::kInput,
                 "references to compare with, never removed; all names up to the next option"))),
    greedy(path_row(
        PathRole::kRead,
        list_row("--against", "FILE...", &Options::against, kPassages, Section::kInput,
                 "references: list what of them is in the INPUTs, and nothing that only INPUTs "
                 "share; all names up to the next option"))),
    text_row("--by", "FIELD", &Options::by, kReaders, Section::kInput,
             "compare only records with the same value in this field [none]"),
    text_row("--across", "FIELD", &Options::across, kPassages, Section::kInput,
             "leave out what records with the same value in this field share [none]"),
    rare(text_row(
        "--max-line", "BYTES", &Options::max_line,
        kExtractors | kFeeders | kUpdate | kSimilar | kTrainWords | kCountFrequencies | kPassages,
        Section::kInput,
        "longest line or file of text to read, at most 1G; K, M, G are understood [64M]")),
    flag_row("--made-up", &Options::made_up, kTrainWords, Section::kInput,
             "learn from pictures that are made up, as the built-in vocabulary did [off]"),
    flag_row("--made-up", &Options::made_up, kDemo, Section::kInput,
             "take short notices that are made up, the same on every machine [files of this "
             "machine]"),
    rare(flag_row("--strict", &Options::strict,
                  kTextReaders | kFeeders | kUpdate | kSimilar | kTrainWords, Section::kInput,
                  "stop with exit code 2 at the first bad input [skip and count it]")),

    rare(path_row(
        PathRole::kRead,
        text_row("--signatures", "FILE", &Options::signatures, kWriters, Section::kInput,
                 "take the sketches of the INPUTs from this file of 'benzer sketch' [sketch "
                 "them]"))),
    choice_row(kMeasureNames,
               text_row("--measure", "KIND", &Options::measure, kRuns | kCompare | kPlan | kFeeders,
                        Section::kSimilarity,
                        "jaccard (of all features), containment (of the smaller's) [jaccard]")),
    text_row("--threshold", "T", &Options::threshold, kPlanners, Section::kSimilarity,
             "similarity that counts as similar, a decimal in (0, 1] [0.8; of image:near "
             "0.85, of image:sift 0.12; of an INDEX its own]"),
    text_row("--distance", "BITS", &Options::distance, kWriters, Section::kSimilarity,
             "for hashes of pictures, in place of --threshold: how many bits may differ [image:pdq "
             "31, image:dhash and image:phash 6]"),
    text_row("--threshold", "T", &Options::threshold, kSimilar | kCheckAndAdd | kClusters,
             Section::kSimilarity, "score that counts as similar [what the index was planned for]"),
    text_row("--floor", "S", &Options::floor, kSimilar, Section::kSimilarity,
             "in place of --threshold: the most similar documents with at least this score, also "
             "far below what the index was planned for; looks at all documents [by --threshold]"),
    list_row("--where", "CONDITION", &Options::where, kSimilar | kCheckAndAdd, Section::kSimilarity,
             "look only at documents with this attribute (lang=en, 'price<10', 'lang in en,de', "
             "'seen>=2026-11-01'); of several all must hold [all documents]"),
    text_row("--limit", "N", &Options::limit, kSimilar | kCheckAndAdd, Section::kSimilarity,
             "matches for each document at most [10]"),
    choice_row(
        kScoreRuleNames,
        text_row(
            "--score", "RULE", &Options::score, kSimilar | kCheckAndAdd | kWholeIndex,
            Section::kSimilarity,
            "of an INDEX with several fields: mean (by weight), all (the least), any (the most) "
            "[mean]")),
    rare(flag_row("--allow-low-recall", &Options::allow_low_recall,
                  kSimilar | kCheckAndAdd | kWholeIndex, Section::kSimilarity,
                  "ask below what the index was planned for, where it finds fewer [refuse]")),
    rare(text_row("--min-threshold", "T", &Options::min_threshold, kVerify, Section::kSimilarity,
                  "as --field [0.8]")),
    rare(choice_row(kMeasureNames, text_row("--measure", "KIND", &Options::measure, kVerify,
                                            Section::kSimilarity, "as --field [jaccard]"))),
    rare(text_row("--recall", "P", &Options::recall, kVerify, Section::kSimilarity,
                  "as --field [0.99]")),
    rare(text_row("--sketch", "SPEC", &Options::sketch, kVerify, Section::kSimilarity,
                  "as --field [fss:128]")),
    text_row("--min-threshold", "T", &Options::min_threshold, kFeeders, Section::kSimilarity,
             "for a new index: the lowest threshold that queries will ask for [0.8]"),
    text_row("--recall", "P", &Options::recall, kPlanners | kFeeders, Section::kSimilarity,
             "share of the pairs exactly at the threshold to find, in (0, 1) [0.99]"),
    text_row("--features", "SPEC", &Options::features, kExtractors | kCountFrequencies,
             Section::kSimilarity,
             "text:wordN|wordsN|charN (+html +bag +stop:LANG +stem:LANG +drop-common:X +tf-idf), "
             "values (+weights), image:near|grid16|pdq|dhash|phash|sift, truth:w1|w3|c5 "
             "[text:word5]"),
    rare(path_row(
        PathRole::kRead,
        list_row("--frequencies", "FILE", &Options::frequencies, kExtractors | kFeeders | kVerify,
                 Section::kSimilarity,
                 "for +tf-idf: what 'count-frequencies' counted, so that weights do not depend on "
                 "the INPUTs; an index needs it when it is made [counted by each run]"))),
    rare(text_row("--sketch", "SPEC", &Options::sketch, kExtractors | kFeeders,
                  Section::kSimilarity,
                  "fss:N, kperm:N or another of docs/config.md, N slots [fss:128]")),
    rare(text_row("--bands", "BxR", &Options::bands, kConfigured, Section::kSimilarity,
                  "B bands of R slots [planned for threshold and recall]")),
    rare(text_row("--config", "CONFIG", &Options::config, kConfigured | kSketch,
                  Section::kSimilarity,
                  "the three together, as every summary prints them [text:word5 | fss:128]")),
    rare(text_row("--seed", "N", &Options::seed, kExtractors | kCountFrequencies,
                  Section::kSimilarity,
                  "seed of the feature hash; another one gives an independent run [0]")),
    rare(text_row("--seed", "N", &Options::seed, kServe, Section::kInput,
                  "seed of the feature hash of new indexes, for equal bytes elsewhere [drawn "
                  "for each]")),
    text_row("--seed", "N", &Options::seed, kEval, Section::kSimilarity,
             "seed of all random choices: the same seed gives the same figures, except times [1]"),
    text_row(
        "--slots", "N", &Options::slots, kEval, Section::kSimilarity,
        "for course-accuracy, course-timer and course-near: slots of a signature, the report's "
        "k [600, near 1200]"),
    text_row("--eps", "E", &Options::eps, kEval, Section::kSimilarity,
             "for course-accuracy: the error of an estimate that still counts as right [0.07]"),
    text_row("--bands", "N", &Options::bands, kEval, Section::kSimilarity,
             "for course-near: bands of a signature [100]"),
    text_row("--threshold", "T", &Options::threshold, kEval, Section::kSimilarity,
             "for course-near: estimate that counts as similar, the report's s [0.9]"),
    text_row("--id", "NAME", &Options::id, kEval, Section::kInput,
             "for course-near: the file to find near-duplicates of [the first by name]"),
    text_row("--slots", "N", &Options::slots, kPlan, Section::kSimilarity,
             "slots of the signature, short for --sketch fss:N [128]"),
    text_row("--docs", "N", &Options::docs, kPlan, Section::kSimilarity,
             "also estimate memory and chance candidates for N documents, such as 1e6 [none; with "
             "--corpus, as many as it has]"),
    text_row("--sample", "N", &Options::sample, kAudit | kPlan, Section::kSimilarity,
             "documents to draw and compare exactly with all; plan: with --corpus [1000]"),
    rare(choice_row(
        kShortPolicyNames,
        text_row("--short", "POLICY", &Options::short_policy, kComparers, Section::kSimilarity,
                 "texts with fewer words than the shingle: exact (similar when equal), keep (in no "
                 "pair), drop (removed) [exact]"))),
    text_row("--min-words", "N", &Options::min_words, kPassages | kCompare | kSimilar,
             Section::kSimilarity, "the fewest words of a passage [50; compare: 10]"),
    text_row(
        "--gap", "N", &Options::gap, kPassages | kCompare, Section::kSimilarity,
        "list near passages, too: at most N words of either document lie between two runs that "
        "both have [0: equal passages only; compare: 5]"),
    text_row("--features", "SPEC", &Options::features, kPassages, Section::kSimilarity,
             "what words are: text:word1 or text:words1, and without --remove what of the texts is "
             "ignored (+html, +stop:LANG, +stem:LANG) [text:word1]"),
    flag_row("--exact", &Options::exact, kPairs, Section::kSimilarity,
             "compare without sketches: every pair is found, at more time and memory [off]"),

    text_row("--keep", "RULES", &Options::keep, kDedup | kSketch, Section::kSimilarity,
             "keeper: first, last, longest, shortest, largest, max:FIELD, min:FIELD, source:A,B, a "
             "list [first; pictures, containment: largest]"),
    rare(choice_row(
        kClusteringNames,
        text_row("--cluster", "HOW", &Options::cluster, kDedup | kClusters, Section::kSimilarity,
                 "leader (every removed document is similar to a kept one) or components (chains "
                 "of similar documents; one of each chain is kept) [leader]"))),
    path_row(PathRole::kWrite,
             text_row("-o,--output", "FILE", &Options::output, kWriters | kClusters | kPassages,
                      Section::kOutput,
                      "where the result goes; .gz and .zst compress, - is standard output")),
    path_row(PathRole::kWrite,
             text_row("-o,--output", "FILE", &Options::output, kSketch, Section::kOutput,
                      "file for the signatures, not compressed; - is standard output")),
    path_row(PathRole::kWrite,
             text_row("-o,--output", "FILE", &Options::output, kTrainWords, Section::kOutput,
                      "file for the vocabulary, not compressed")),
    path_row(PathRole::kWrite,
             text_row("-o,--output", "FILE", &Options::output, kCountFrequencies, Section::kOutput,
                      "file for the frequencies, not compressed")),
    path_row(
        PathRole::kWrite,
        text_row("--answers", "FILE", &Options::answers, kReview, Section::kOutput,
                 "the judged pairs, a JSON object a line; answers that are there are not asked "
                 "for again [REPORT.answers.jsonl]")),
    path_row(PathRole::kWrite,
             text_row("--removed", "FILE", &Options::removed, kDedup, Section::kOutput,
                      "list of removed documents and their keepers [OUTPUT.removed.jsonl]")),
    flag_row("--remove", &Options::remove, kPassages, Section::kOutput,
             "write the records of the INPUTs without their passages, of which the first places "
             "stay [off]"),
    choice_row(
        kCutNames,
        text_row("--at", "PART", &Options::at, kPassages, Section::kOutput,
                 "with --remove: what is cut as a whole: word, sentence, paragraph, line [word]")),
    text_row("--min-left", "N", &Options::min_left, kPassages, Section::kOutput,
             "with --remove: records that are cut and keep fewer words go, unless they have the "
             "first place of what another one loses [0]"),
    path_row(PathRole::kWrite,
             text_row("--removed", "FILE", &Options::removed, kPassages, Section::kOutput,
                      "with --remove: list of what was cut, and where it stays "
                      "[OUTPUT.removed.jsonl]")),
    path_row(PathRole::kWrite,
             text_row("--report", "FILE", &Options::report, kDedup, Section::kOutput,
                      "a page that shows what was removed and why, also of a dry run; a .json file "
                      "with the same for programs is written next to it [none]")),
    path_row(PathRole::kWrite,
             text_row("--report", "FILE", &Options::report, kPassages, Section::kOutput,
                      "a page that shows what documents share, and where it comes from [none]")),
    rare(path_row(PathRole::kWrite,
                  text_row("--pairs", "FILE", &Options::pairs_list, kDedup, Section::kOutput,
                           "list of the pairs that were verified [none]"))),
    rare(path_row(PathRole::kWrite,
                  text_row("--clusters", "FILE", &Options::clusters_list, kDedup, Section::kOutput,
                           "list of the clusters: keeper, members, scores, the weakest [none]"))),
    flag_row("--annotate", &Options::annotate, kDedup, Section::kOutput,
             "keep every record, with benzer_cluster, benzer_keeper, benzer_score and benzer_kept "
             "added [off]"),
    flag_row(
        "--annotate", &Options::annotate, kPassages, Section::kOutput,
        "write every record of the INPUTs with the list benzer_passages added, in place of the "
        "passages [off]"),
    rare(flag_row(
        "--allow-large-clusters", &Options::allow_large_clusters, kDedup, Section::kOutput,
        "go on where one cluster holds over 10 % of the documents or a source loses over 90 % "
        "[stop with exit code 7]")),
    rare(flag_row(
        "--allow-large-clusters", &Options::allow_large_clusters, kPassages, Section::kOutput,
        "go on where one passage goes out of over 10 % of the documents or a source loses over "
        "90 % [stop with exit code 7]")),
    flag_row("--dry-run", &Options::dry_run, kDedup | kPassages, Section::kOutput,
             "do everything but writing; the summary tells what would happen [off]"),
    flag_row("--remove", &Options::remove, kDedup, Section::kOutput,
             "for an INDEX: remove from it, while no other process writes to it [off]"),
    path_row(PathRole::kWrite, text_row("--out", "DIR", &Options::out, kEval, Section::kOutput,
                                        "folder for the text, the tables as CSV, the charts as "
                                        "SVG, and JSON; it is made if it is "
                                        "missing [the text goes to standard output]")),
    path_row(PathRole::kWrite,
             text_row("--out", "DIR", &Options::out, kMan, Section::kOutput,
                      "folder for the pages of the program and of all commands; it is made if it "
                      "is missing [one page goes to standard output]")),
    path_row(PathRole::kWrite,
             text_row("--out", "DIR", &Options::out, kDemo, Section::kOutput,
                      "folder for the documents, the lists and the report: a new one, an empty "
                      "one, or that of an earlier demo [benzer-demo]")),
    path_row(PathRole::kWrite,
             text_row("--html", "FILE", &Options::html, kEval, Section::kOutput,
                      "one page of all that was run, with charts, that needs nothing else [none]")),
    flag_row("--all", &Options::all, kCompare, Section::kOutput,
             "list all shingles and passages [the first 10 of each kind]"),
    flag_row("--exit-code", &Options::exit_code, kCompare, Section::kOutput,
             "exit with 1 when the two are not similar [always 0]"),
    flag_row("--passages", &Options::passages, kSimilar, Section::kOutput,
             "list the passages of the given texts that documents of an index of containment have, "
             "however different the rest is [similar documents]"),
    flag_row(
        "--explain", &Options::explain, kSimilar, Section::kOutput,
        "say for each match which passages are shared, and which bands met; for people, or with "
        "--json for programs [off]"),
    flag_row(
        "--json", &Options::json,
        kExtractors | kReview | kFeeders | kUpdate | kRemove | kStats | kVerify | kCompact |
            kSnapshot | kClusters | kSimilar | kEval | kTrainWords | kCountFrequencies | kPassages,
        Section::kOutput, "print one JSON object for programs instead of lines for people [off]"),

    text_row("--durability", "LEVEL", &Options::durability, kFeeders | kUpdate | kRemove | kServe,
             Section::kRunning,
             "what an acknowledged write survives; in a folder: sync (a loss of power), batch (the "
             "process), none [sync]; in Redis: memory, replicas:N (the master), disk (a loss of "
             "power there) [memory]"),
    text_row(
        "--docs", "N", &Options::docs, kFeeders, Section::kInput,
        "about how many documents a new INDEX in Redis will hold; its layout depends on it [1e6]"),
    rare(path_row(
        PathRole::kRead,
        text_row("--ca-file", "FILE", &Options::ca_file, kIndexes | kWholeIndex | kServe,
                 Section::kRunning,
                 "for rediss://: the authorities that are trusted, in PEM [those of the system]"))),
    rare(text_row("--timeout", "SECONDS", &Options::timeout, kIndexes | kWholeIndex | kServe,
                  Section::kRunning,
                  "how long to go on trying while no server of an INDEX in Redis answers [10]")),
    text_row("--threads", "N", &Options::threads,
             kTextReaders | kFeeders | kUpdate | kSimilar | kClusters | kTrainWords,
             Section::kRunning, "threads; the result does not depend on it [one per core]"),
    text_row("--host", "ADDRESS", &Options::host, kServe, Section::kInput,
             "address to listen on; any but this machine's own needs --keys [127.0.0.1]"),
    text_row("--port", "N", &Options::port, kServe, Section::kInput,
             "port to listen on; 0 takes any that is free, and says which [6363]"),
    path_row(PathRole::kRead, text_row("--keys", "FILE", &Options::keys, kServe, Section::kInput,
                                       "the keys and what each allows, one a line: SCOPE SHA256 "
                                       "[no keys: all requests are allowed]")),
    choice_row(
        kScopeNames,
        text_row(
            "--new-key", "SCOPE", &Options::new_key, kServe, Section::kInput,
            "make a key for read, write or admin, print it and its line for --keys, and exit")),
    path_row(PathRole::kRead,
             text_row("--tls-certificate", "FILE", &Options::tls_certificate, kServe,
                      Section::kInput, "certificate chain in PEM, for https [http]")),
    path_row(PathRole::kRead, text_row("--tls-key", "FILE", &Options::tls_key, kServe,
                                       Section::kInput, "its key, in PEM")),
    flag_row("--allow-tls-1.2", &Options::tls_12, kServe, Section::kInput,
             "take clients that do not know TLS 1.3"),
    list_row("--allow-origin", "ORIGIN", &Options::origins, kServe, Section::kInput,
             "let pages of this server, as https://tools.example, send requests from a browser; "
             "with --keys also * for all [none]; may be repeated"),
    text_row("--rate", "N", &Options::rate, kServe, Section::kInput,
             "most requests a second from each key or address (default: no limit)"),
    choice_row(kLogNames,
               text_row("--log", "FORMAT", &Options::log, kServe, Section::kInput,
                        "a line for each request on standard error: text (default), json or none")),
    flag_row("--log-writes", &Options::log_writes, kServe, Section::kInput,
             "log only requests that may change something"),
    text_row("--threads", "N", &Options::threads, kServe, Section::kRunning,
             "threads that serve connections; others carry out the requests [one per core]"),
    text_row("--threads", "N", &Options::threads, kEval, Section::kRunning,
             "threads for what is not timed; the figures do not depend on it [1]"),
    text_row("--memory-limit", "BYTES", &Options::memory_limit, kWriters | kPassages,
             Section::kRunning,
             "use at most this much memory, at least 64M, and temporary files for the rest; K, M, "
             "G, T are understood [none]"),
    path_row(PathRole::kWork,
             text_row("--work", "DIR", &Options::work, kWriters | kPassages, Section::kRunning,
                      "folder for temporary files [$TMPDIR, else /tmp]; dedup and passages keep "
                      "their finished stages there until the run has ended")),
    flag_row("--resume", &Options::resume, kDedup | kPassages, Section::kRunning,
             "go on with what an earlier run or its parts left in the folder of --work [off]"),
    rare(choice_row(
        kStageNames,
        text_row("--stage", "NAME", &Options::stage, kDedup, Section::kRunning,
                 "sketch: read and sketch only, and leave that in the folder of --work [all "
                 "stages]"))),
    rare(text_row("--part", "I/N", &Options::part, kDedup, Section::kRunning,
                  "with --stage: take the Ith of every N input files [1/1]")),
    rare(choice_row(
        kProgressNames,
        text_row("--progress", "WHEN", &Options::progress,
                 kTextReaders | kFeeders | kUpdate | kSimilar | kClusters | kTrainWords,
                 Section::kRunning, "auto (only on a terminal), always or never [auto]"))),
    flag_row(
        "--quiet", &Options::quiet,
        kTextReaders | kFeeders | kUpdate | kSimilar | kClusters | kEval | kTrainWords | kServe,
        Section::kRunning,
        "nothing on standard error but errors, and the address of 'serve' [off]"),
    flag_row(
        "--copy", &Options::copy, kSnapshot, Section::kRunning,
        "copy segments, too, which takes their room again: then damage to one of the two leaves "
        "the other one sound [link them, where the file system can]"),
    flag_row("--repair", &Options::repair, kVerify, Section::kRunning,
             "recover the sound data of a damaged INDEX; copies of damaged files go to "
             "INDEX/damaged [only check]"),
    flag_row("-h,--help", &Options::help,
             kExtractors | kReview | kIndexes | kEval | kTrainWords | kServe | kCountFrequencies |
                 kPassages | kAboutProgram,
             Section::kRunning, "print the options that most people need, and exit"),
    rare(flag_row("--help-all", &Options::help_all,
                  kExtractors | kReview | kIndexes | kEval | kTrainWords | kServe |
                      kCountFrequencies | kPassages | kAboutProgram,
                  Section::kRunning, "print all options and exit")),
    text_row("--memtable", "BYTES", &Options::memtable, kFeeders | kUpdate | kRemove | kCompact,
             Section::kHidden, "what is kept in memory before it becomes a segment [64M]"),
    text_row("--cpu", "LEVEL", &Options::cpu,
             kExtractors | kFeeders | kUpdate | kSimilar | kClusters | kEval | kTrainWords |
                 kServe | kCountFrequencies | kPassages,
             Section::kHidden, "baseline, avx2 or avx512 [the best that this machine has]"),
};

// Every option that names a file or folder has a PathRole.
static_assert(std::all_of(kOptions.begin(), kOptions.end(), [](const OptionRow& row) {
  const bool names_path = row.value.starts_with("FILE") || row.value.starts_with("DIR");
  return names_path == (row.path != PathRole::kNone);
}));

// The help of an option names all words that its value may be, or refers to another option.
static_assert(std::all_of(kOptions.begin(), kOptions.end(), [](const OptionRow& row) {
  return row.help.starts_with("as --field") ||
         std::all_of(row.choices.begin(), row.choices.end(), [&](std::string_view word) {
           return row.help.find(word) != std::string_view::npos;
         });
}));

}  // namespace

std::string_view OptionRow::long_name() const {
  const std::size_t comma = names.find(',');
  return comma == std::string_view::npos ? names : names.substr(comma + 1);
}

std::string OptionRow::parameter() const {
  std::string out(long_name().substr(2));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

bool OptionRow::is_given(const Options& options) const {
  if (text) return (options.*text).has_value();
  if (flag) return options.*flag;
  return !(options.*list).empty();
}

std::span<const OptionRow> option_table() { return kOptions; }

const OptionRow& option_row(std::string_view long_name) {
  for (const OptionRow& row : kOptions) {
    if (row.long_name() == long_name) return row;
  }
  throw std::logic_error("no such option: " + std::string(long_name));
}

}  // namespace benzer::apps
