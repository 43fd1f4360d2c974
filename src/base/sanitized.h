// Tells tests whether this is a build with a sanitizer. Such a build is several times slower and
// checks how memory and threads are used, so repeating a test with other random numbers shows
// little that is new.
#pragma once

namespace benzer {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace benzer
