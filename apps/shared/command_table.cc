// Describes each command in one place.
#include <algorithm>
#include <array>

#include "options.h"

namespace benzer::apps {
namespace {

constexpr std::array kCommands = {
    CommandRow{
        kDedup, "dedup", "INPUT... -o OUTPUT|INDEX [OPTIONS]",
        "Remove near-duplicate documents, and say why each was removed.",
        "Inputs are JSON lines, CSV, text files or folders of them, also .gz, .zst, .xz or .bz2; - "
        "is standard input. The kept records (or the paths of the kept files) are written "
        "unchanged and in order. A document is removed if and only if a kept one is verified to be "
        "similar. For an INDEX, its schema applies, and only --remove removes documents.",
        "  benzer dedup docs.jsonl -o clean.jsonl\n"
        "  benzer dedup crawl/*.jsonl.zst -o clean.jsonl.zst --threshold 0.7 --keep longest\n",
        1, std::string_view::npos, "benzer dedup INPUT... -o OUTPUT"},
    CommandRow{kPairs, "pairs", "INPUT...|INDEX [OPTIONS]",
               "List all pairs of similar documents with their exact scores.",
               "Each unordered pair is one line {\"a\",\"b\",\"score\",\"exact\"} on standard "
               "output or in the file of -o; equal documents are pairs too. An INDEX is the only "
               "input, and its schema decides what is similar.",
               "  benzer pairs docs.jsonl --threshold 0.7\n"
               "  benzer pairs news.benzer -o pairs.jsonl.gz\n",
               1, std::string_view::npos, "benzer pairs INPUT..."},
    CommandRow{
        kPassages, "passages", "INPUT... [OPTIONS]",
        "List the passages that documents share, however different the rest of them is.",
        "A passage is a run of words that an earlier document also has. Each is a line "
        "{\"document\",\"begin\",\"end\",\"words\",\"score\",\"cluster\",\"first\",\"text\"} on "
        "standard "
        "output or in the file of -o; first is where its words occur first. Case and punctuation "
        "do not matter. All equal passages of the least length are found.",
        "  benzer passages docs.jsonl --min-words 30\n"
        "  benzer passages essays --against sources/*.txt -o passages.jsonl\n",
        1, std::string_view::npos, "benzer passages INPUT..."},
    CommandRow{
        kAudit, "audit", "INPUT...|INDEX [OPTIONS]",
        "Measure on your own documents how many of the similar pairs a run finds.",
        "Draws a sample, compares each of its documents exactly with all documents, and says which "
        "of the similar pairs the bands find: recall, with the interval that covers it in 95 of "
        "100 samples. Nothing is written.",
        "  benzer audit docs.jsonl\n"
        "  benzer audit docs.jsonl --threshold 0.7 --sample 5000 --json\n",
        1, std::string_view::npos, "benzer audit INPUT..."},
    CommandRow{
        kReview, "review", "REPORT.json [OPTIONS]",
        "Judge the pairs of a report one by one, and get a precision and a threshold.",
        "Shows the pairs nearest to the threshold, then removals picked at random, and asks for "
        "each whether the two are copies. Answers are read from standard input, a line each.",
        "  benzer review report.json\n"
        "  benzer review report.json --answers judged.jsonl --json\n",
        1, 1, "benzer review REPORT.json"},
    CommandRow{
        kSketch, "sketch", "INPUT... -o FILE [OPTIONS]",
        "Sketch documents once, to deduplicate them often.",
        "Inputs are files of JSON lines, also .gz, .zst, .xz or .bz2. 'dedup' and 'pairs' take the "
        "file with "
        "--signatures, together with the same inputs, and need not read and sketch them again: any "
        "threshold, any bands.",
        "  benzer sketch docs.jsonl -o docs.sig\n"
        "  benzer sketch docs.jsonl -o docs.sig --features text:word3 --seed 7\n",
        1, std::string_view::npos, "benzer sketch INPUT... -o FILE"},
    CommandRow{
        kIndex, "index", "INDEX INPUT... [OPTIONS]",
        "Add documents to an index, in which similar ones are found at once.",
        "INDEX is a folder, or redis://HOST/NAME (rediss:// with TLS, redis+cluster://), made with "
        "--create. Inputs are JSON lines, CSV or folders of texts; a document with the id of "
        "another one replaces it.",
        "  benzer index news.benzer docs.jsonl --create --bulk\n"
        "  benzer index news.benzer more.jsonl.zst\n",
        2, std::string_view::npos, "benzer index INDEX INPUT...", InputKind::kIndex},
    CommandRow{
        kSimilar, "similar", "INDEX --like FILE|--id ID|--document JSON [OPTIONS]",
        "Find the documents of an index that are similar to others.",
        "Prints a JSON object for each match, best first: {\"query\",\"id\",\"score\",\"exact\","
        "\"fields\"}. Scores are exact. --explain says why.",
        "  benzer similar news.benzer --id a-17\n"
        "  benzer similar news.benzer --like new.jsonl --threshold 0.9 --explain\n",
        1, 1, "benzer similar INDEX --like FILE", InputKind::kIndex},
    CommandRow{
        kClusters, "clusters", "INDEX [OPTIONS]",
        "List the clusters of similar documents in an index.",
        "Each cluster is one line {\"cluster\",\"keeper\",\"members\",\"weakest\"} on standard "
        "output or in the file of -o. A chain of pairs can join documents that have little in "
        "common, so each member tells its score with the keeper, and its nearest document.",
        "  benzer clusters news.benzer\n"
        "  benzer clusters news.benzer --threshold 0.9 -o clusters.jsonl\n",
        1, 1, "benzer clusters INDEX", InputKind::kIndex},
    CommandRow{kCheckAndAdd, "check-and-add", "INDEX INPUT... [OPTIONS]",
               "Add to an index the documents that are similar to none in it.",
               "Checking and adding is one step: of two equal documents that come at the same "
               "time, one is "
               "added. Prints a JSON object for each document: {\"id\",\"added\",\"matches\"}.",
               "  benzer check-and-add news.benzer docs.jsonl --create\n"
               "  benzer check-and-add news.benzer new.jsonl --threshold 0.9\n",
               2, std::string_view::npos, "benzer check-and-add INDEX INPUT...", InputKind::kIndex},
    CommandRow{
        kUpdate, "update", "INDEX INPUT... [OPTIONS]",
        "Change attributes of documents in an index, without their texts.",
        "Inputs are JSON lines: the id, and for each attribute its value, or null to remove it; "
        "attributes that are not named stay. Exit code 1 if a document is not there; the others "
        "are changed.",
        "  echo '{\"id\":\"a-17\",\"price\":9.5,\"lang\":null}' | benzer update shop.benzer -\n"
        "  benzer update shop.benzer prices.jsonl\n",
        2, std::string_view::npos, "benzer update INDEX INPUT...", InputKind::kIndex},
    CommandRow{kGet, "get", "INDEX ID... [OPTIONS]",
               "Show what an index stores for given documents.",
               "Prints a JSON object for each: its fields, how many features they have, their "
               "band keys, and its attributes. Exit code 1 if one is not there.",
               "  benzer get news.benzer a-17\n", 1, std::string_view::npos,
               "benzer get INDEX ID...", InputKind::kIndex, InputKind::kId},
    CommandRow{
        kRemove, "remove", "INDEX ID...|--expired [OPTIONS]", "Remove documents from an index.",
        "Exit code 1 if one is not there; the others are removed.",
        "  benzer remove news.benzer a-17 a-18\n"
        "  benzer list news.benzer | grep '^old-' | benzer remove news.benzer --ids -\n",
        1, std::string_view::npos, "benzer remove INDEX ID...", InputKind::kIndex, InputKind::kId},
    CommandRow{kList, "list", "INDEX", "Print the ids of all documents of an index, one a line.",
               "The order is not defined. An id that begins with a quote or has control characters "
               "or line ends in it is printed as a JSON string.",
               "  benzer list news.benzer | sort | head\n", 1, 1, "benzer list INDEX",
               InputKind::kIndex},
    CommandRow{kStats, "stats", "INDEX [OPTIONS]",
               "Say what an index holds, and where its bytes are.",
               "Works while another process writes to it.", "  benzer stats news.benzer --json\n",
               1, 1, "benzer stats INDEX", InputKind::kIndex},
    CommandRow{
        kVerify, "verify", "INDEX [OPTIONS]",
        "Read every byte of an index, and say whether it is sound.",
        "Exit code 0 if it is, 4 if something is damaged, 5 if something cannot be read; the "
        "message names the file and the place. An incomplete record at the end of a log, after "
        "what was synced, is not damage. With --repair, 0 if all documents are there, 4 if some "
        "are lost, or may be. In Redis, records are compared with the entries of their band keys.",
        "  benzer verify news.benzer\n"
        "  benzer verify news.benzer --repair\n",
        1, 1, "benzer verify INDEX", InputKind::kIndex},
    CommandRow{kCompact, "compact", "INDEX [OPTIONS]",
               "Rewrite an index without the documents that were removed from it.",
               "Needs as much disk space again while it runs.", "  benzer compact news.benzer\n", 1,
               1, "benzer compact INDEX", InputKind::kIndex},
    CommandRow{kSnapshot, "snapshot", "INDEX DIR [OPTIONS]",
               "Keep an index as it is at one moment.",
               "Works while another process writes to it. DIR is made, or is empty; it becomes an "
               "index of its own, which shares the files that never change with INDEX where both "
               "are on one file system. All of it is read and checked: of a damaged index there is "
               "no snapshot, and the exit code is 4.",
               "  benzer snapshot news.benzer snapshots/2026-11-22\n"
               "  benzer snapshot news.benzer /mnt/backup/2026-11-22\n",
               2, 2, "benzer snapshot INDEX DIR", InputKind::kIndex, InputKind::kNewFolder},
    CommandRow{
        kCompare, "compare", "FILE_A FILE_B [OPTIONS]",
        "Say how similar two texts are, why, and whether a run would find them.",
        "Each file (also .gz, .zst, .xz, .bz2, or - for one of them) is one text. With --features "
        "values it holds a JSON array of strings, with values+weights also an object of "
        "weights.",
        "  benzer compare old.txt new.txt\n"
        "  benzer compare old.txt new.txt --threshold 0.9 --exit-code\n",
        2, 2, "benzer compare FILE_A FILE_B"},
    CommandRow{
        kPlan, "plan", "[--corpus INPUT...] [OPTIONS]",
        "Choose bands and rows, and show what they will find and cost.",
        "The rule: the largest number of rows for which enough bands fit into the signature. "
        "Shows the alternatives, the curve, and what the rules of other tools would find. "
        "With --corpus it compares a sample with all documents and says what a run on them costs.",
        "  benzer plan --threshold 0.5 --slots 256 --docs 1e6\n"
        "  benzer plan --corpus docs.jsonl --threshold 0.7\n",
        0, std::string_view::npos, "benzer plan"},
    CommandRow{kExplain, "explain", "FILE [OPTIONS]",
               "Show every step from one text, or one set of values, to its band keys.",
               "The file (also .gz, .zst, .xz, .bz2, or -) is one text: normalised, cut into words "
               "and shingles, "
               "hashed, sketched, banded. With --features values it holds a JSON array of strings, "
               "with values+weights also an object of weights.",
               "  benzer explain letter.txt\n"
               "  benzer explain letter.txt --features text:char5 --json\n",
               1, 1, "benzer explain FILE"},
    CommandRow{kEval, "eval", "NAME...|--all|--list [OPTIONS]",
               "Repeat the measurements of the five documents that Benzer is based on.",
               "Runs experiments and explains the results in plain words. Tables and findings go "
               "to standard output; with charts, to the folder of --out or the page of --html.",
               "  benzer eval --list\n"
               "  benzer eval report-6a --out figures\n"
               "  benzer eval --all --html experiments.html\n",
               0, std::string_view::npos, "benzer eval NAME", InputKind::kExperiment,
               InputKind::kExperiment},
    CommandRow{
        kTrainWords, "train-words", "INPUT...|--made-up -o FILE [OPTIONS]",
        "Learn the vocabulary of image:sift from your own pictures.",
        "Inputs are pictures, or folders of them; some hundred are enough. 'dedup' and 'pairs' "
        "take the file with --features image:sift+words:FILE, in place of the vocabulary that is "
        "built in. Learn from pictures like those that you look for.",
        "  benzer train-words PHOTOS -o photos.words\n"
        "  benzer dedup PHOTOS --features image:sift+words:photos.words -o kept.txt\n",
        0, std::string_view::npos, "benzer train-words PHOTOS -o photos.words"},
    CommandRow{
        kCountFrequencies, "count-frequencies", "INPUT... -o FILE [OPTIONS]",
        "Count how rare features are, for indexes and single texts that weigh by it.",
        "With +tf-idf a feature weighs more the fewer documents have it. A run counts that itself. "
        "An index, 'compare' and 'explain' take the counted file with --frequencies; an index "
        "keeps it. Count documents like those that you compare.",
        "  benzer count-frequencies docs.jsonl --features text:word1 -o docs.freq\n"
        "  benzer compare a.txt b.txt --features text:word1+tf-idf --frequencies docs.freq\n",
        1, std::string_view::npos, "benzer count-frequencies INPUT... -o FILE"},
    CommandRow{
        kServe, "serve", "ROOT [OPTIONS]", "Serve indexes to other programs, over HTTP.",
        "ROOT is a folder of indexes, each served under the name of its folder, or one index. "
        "Listens on this machine only; another --host needs --keys. Ctrl-C or SIGTERM ends "
        "it, when the requests that are under way are answered.",
        "  benzer serve indexes\n"
        "  curl http://127.0.0.1:6363/v1/indexes\n",
        0, 1, "benzer serve ROOT", InputKind::kIndex},
    CommandRow{
        kDemo, "demo", "[INPUT] [OPTIONS]",
        "Find near-duplicates on this machine, and show some of them.",
        "Takes the copyright files of the installed packages, or an INPUT as 'dedup' does: a file "
        "or a folder of texts. Prints the command that it carries out, some of the pairs with "
        "the words that differ, and where the lists and the report are.",
        "  benzer demo\n"
        "  benzer demo letters --out /tmp/letters-demo\n",
        0, 1, "benzer demo INPUT"},
    CommandRow{
        kCompletions, "completions", "bash|zsh|fish [OPTIONS]",
        "Print what lets a shell complete commands, options and values.",
        "The shell reads the output when it starts: bash from ~/.bashrc, zsh after compinit from "
        "~/.zshrc, fish from a file in ~/.config/fish/completions. An installed program has it "
        "where the shells look for it.",
        "  source <(benzer completions bash)\n"
        "  benzer completions fish > ~/.config/fish/completions/benzer.fish\n",
        1, 1, "benzer completions bash", InputKind::kShell},
    CommandRow{
        kMan, "man", "[COMMAND] [OPTIONS]", "Print the man page of the program or of a command.",
        "The page has what --help-all prints, in the format that man reads. An installed program "
        "has its pages where man looks for them: man benzer, man benzer-dedup.",
        "  benzer man dedup | man -l -\n"
        "  benzer man --out ~/.local/share/man/man1\n",
        0, 1, "benzer man COMMAND", InputKind::kCommand},
};

}  // namespace

std::span<const CommandRow> command_table() { return kCommands; }

const CommandRow& command_row(Command command) {
  return *std::find_if(kCommands.begin(), kCommands.end(),
                       [command](const CommandRow& row) { return row.command == command; });
}

}  // namespace benzer::apps
