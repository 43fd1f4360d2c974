// Finds the certificates of the authorities that this system trusts.
#pragma once

#include <string>

namespace benzer::redis {

// Returns the file with the authorities if OpenSSL would not find them by itself, else "". OpenSSL
// looks where the distribution has them for which it was built, and the Python package runs on
// others, too. The variables SSL_CERT_FILE and SSL_CERT_DIR decide if one of them is set.
// root: put in front of every path, for tests.
std::string other_authorities(const std::string& root = "");

}  // namespace benzer::redis
