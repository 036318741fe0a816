#ifndef STAGEDOOR_RESOLVER_PIN_FILE_H_
#define STAGEDOOR_RESOLVER_PIN_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/resolver.h"

namespace stagedoor {

// Files with pins for ResolverContext: a JSON object from asset paths to the asset paths that
// replace them, for example {"assets/tree.usd": "/library/tree/v012/tree.usd"}.

inline constexpr size_t kMaxPinFileBytes = size_t{8} << 20;
inline constexpr size_t kMaxPinsPerFile = 10000;

// Why a pin cannot be used: its path is empty, or relative to a layer ("./x"); OK if it can be.
absl::Status CheckPin(std::string_view from, std::string_view to);

// Parses a pin file. INVALID_ARGUMENT, as "NAME:LINE:COLUMN: MESSAGE" where it is not JSON;
// RESOURCE_EXHAUSTED for more than kMaxPinsPerFile pins.
absl::StatusOr<ResolverContext::Pins> ParsePinFile(std::string_view name, std::string_view text);

// `resolver_context` with the current content of its pin files, which are resolved with its search
// paths, layers and own pins. Returns it unchanged if it has that already. Errors name the file:
// those of the resolver and of ParsePinFile; RESOURCE_EXHAUSTED above kMaxPinFileBytes. `failed`,
// which may be null, is set to the identifier of the file.
absl::StatusOr<ResolverContext> LoadPinFiles(RequestContext& context, const Resolver& resolver,
                                             const ResolverContext& resolver_context,
                                             std::string* failed = nullptr);

// Whether a pin file that was read has the same version now.
bool IsCurrent(RequestContext& context, const Resolver& resolver,
               const ResolverContext& resolver_context, const ResolverContext::PinFile& file);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PIN_FILE_H_
