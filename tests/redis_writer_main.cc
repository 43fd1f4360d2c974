// usage: redis_writer URL SEED FILE
//
// Writes batches of documents to a store in Redis until it is killed, and appends a character to
// FILE for each batch that was acknowledged. A test starts and kills it.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "redis_traffic_test_util.h"
#include "redis_writer_test_util.h"

namespace {

[[noreturn]] void write_batches(const benzer::TrafficPlan& plan, const char* acknowledged) {
  benzer::Index index = benzer::Index::open(plan.url, benzer::Traffic::options(plan));
  const benzer::Texts texts(plan.seed);
  benzer::WriterBatches batches(plan.seed);
  for (;;) {
    const benzer::WriterBatches::Batch batch = batches.next();
    std::vector<benzer::Document> documents;
    for (std::size_t i = 0; i < batch.numbers.size(); ++i)
      documents.push_back(texts.document(batch.numbers[i], batch.versions[i]));
    index.index_documents(documents);
    std::ofstream(acknowledged, std::ios::app) << 'x';
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::cerr << "usage: redis_writer URL SEED FILE\n";
    return 2;
  }
  benzer::TrafficPlan plan;
  plan.url = words[1];
  plan.seed = std::strtoull(words[2], nullptr, 10);
  try {
    write_batches(plan, words[3]);
  } catch (const benzer::Error& error) {
    std::cerr << "redis_writer: " << error.what() << '\n';
    return 1;
  }
}
