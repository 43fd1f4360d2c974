#include "features/extension.h"

#include <atomic>

#include "features/config_text.h"

namespace benzer::internal {
namespace {

std::atomic<const Extension*> registered = nullptr;

}  // namespace

void register_extension(const Extension& extension) noexcept {
  registered.store(&extension, std::memory_order_release);
}

bool has_extension() noexcept { return registered.load(std::memory_order_acquire) != nullptr; }

const Extension& extension_for(std::string_view what) {
  const Extension* extension = registered.load(std::memory_order_acquire);
  if (extension == nullptr)
    fail(
        "{} belongs to the library benzer::research: link it, and call register_research() "
        "(benzer/research/register.h) before a configuration is read",
        what);
  return *extension;
}

}  // namespace benzer::internal
