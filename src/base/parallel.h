// Runs parallel loops with deterministic results. Two shapes are enough for a batch: a loop over
// indices whose iterations are independent, and a pipeline (base/pipeline.h) that reads in order,
// works in parallel and hands over in order.
//
// Threads are started per call: a call lasts milliseconds to minutes, starting costs microseconds,
// and nothing outlives the call. An exception of the work ends the call and is thrown again to its
// caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace benzer {

// 0 means one thread per core that this process may use.
int resolve_threads(int requested) noexcept;

// How many of the threads (at least 1) a memory limit (0: none) allows: at least one, and one for
// each 8 MiB, since each needs buffers of its own.
int threads_within(int threads, std::uint64_t memory_limit) noexcept;

// Runs body(worker) on `threads` threads, the caller's among them.
void run_workers(int threads, const std::function<void(int worker)>& body);

// Calls body(begin, end) for pieces of at most `grain` indices until [0, count) is covered. Pieces
// begin in order, so that early ones tend to finish first. After an exception no more pieces begin,
// and that of the first piece that has thrown one is thrown.
void parallel_for(int threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace benzer
