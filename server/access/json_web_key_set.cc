#include "server/access/json_web_key_set.h"

#include <openssl/core_names.h>

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/base64url.h"
#include "server/access/bounded_json.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::json;

constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;
constexpr int kMaxExponentBits = 32;
constexpr size_t kEd25519Bytes = 32;

// The text of a member; nothing if it is absent. INVALID_ARGUMENT if it is not a text.
absl::StatusOr<std::optional<std::string>> OptionalText(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) return std::nullopt;
  if (!member->is_string()) return InvalidArgumentError(Quoted(name), " must be a text");
  return member->get<std::string>();
}

absl::StatusOr<std::string> Text(const Json& object, const char* name) {
  SD_ASSIGN_OR_RETURN(std::optional<std::string> text, OptionalText(object, name));
  if (!text) return InvalidArgumentError(Quoted(name), " is missing");
  return *std::move(text);
}

// The bytes of a member in base64url.
absl::StatusOr<std::string> Bytes(const Json& object, const char* name) {
  SD_ASSIGN_OR_RETURN(const std::string text, Text(object, name));
  std::optional<std::string> bytes = DecodeBase64Url(text);
  if (!bytes || bytes->empty()) {
    return InvalidArgumentError(Quoted(name), " must be base64url without padding");
  }
  return *std::move(bytes);
}

const unsigned char* Unsigned(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

BignumPointer Number(std::string_view bytes) {
  BignumPointer number(BN_bin2bn(Unsigned(bytes), static_cast<int>(bytes.size()), nullptr));
  if (number == nullptr) throw std::bad_alloc();
  return number;
}

// A key from its parameters; null if OpenSSL rejects them.
KeyPointer MakeKey(const char* type, OSSL_PARAM_BLD* builder) {
  const ParamsPointer params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContextPointer context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  if (params == nullptr || context == nullptr) throw std::bad_alloc();
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  return KeyPointer(key);
}

absl::StatusOr<KeyPointer> ParseRsa(const Json& object) {
  SD_ASSIGN_OR_RETURN(const std::string modulus, Bytes(object, "n"));
  SD_ASSIGN_OR_RETURN(const std::string exponent, Bytes(object, "e"));
  const BignumPointer n = Number(modulus);
  const BignumPointer e = Number(exponent);
  const int bits = BN_num_bits(n.get());
  if (bits < kMinRsaBits || bits > kMaxRsaBits || !BN_is_odd(n.get())) {
    return InvalidArgumentError("'n' must be an odd number of ", kMinRsaBits, " to ", kMaxRsaBits,
                                " bits; it has ", bits);
  }
  if (!BN_is_odd(e.get()) || BN_is_one(e.get()) || BN_num_bits(e.get()) > kMaxExponentBits) {
    return InvalidArgumentError("'e' must be an odd number from 3, of at most ", kMaxExponentBits,
                                " bits");
  }
  const ParamBuilderPointer builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    throw std::bad_alloc();
  }
  return MakeKey("RSA", builder.get());
}

absl::StatusOr<KeyPointer> ParseEc(const Json& object, KeyType type) {
  SD_ASSIGN_OR_RETURN(const std::string x, Bytes(object, "x"));
  SD_ASSIGN_OR_RETURN(const std::string y, Bytes(object, "y"));
  const size_t bytes = CoordinateBytes(type);
  if (x.size() != bytes || y.size() != bytes) {
    return InvalidArgumentError("'x' and 'y' must have ", bytes, " bytes");
  }
  const std::string point = Concat('\4', x, y);  // uncompressed
  const char* group = type == KeyType::kP256 ? "P-256" : "P-384";
  const ParamBuilderPointer builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, group, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    throw std::bad_alloc();
  }
  KeyPointer key = MakeKey("EC", builder.get());
  if (key == nullptr) return InvalidArgumentError("the point is not on the curve ", group);
  return key;
}

absl::StatusOr<KeyPointer> ParseEd25519(const Json& object) {
  SD_ASSIGN_OR_RETURN(const std::string x, Bytes(object, "x"));
  if (x.size() != kEd25519Bytes) {
    return InvalidArgumentError("'x' must have ", kEd25519Bytes, " bytes");
  }
  return KeyPointer(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Unsigned(x), x.size()));
}

// The type of a key; nothing if it is not one that is used.
absl::StatusOr<std::optional<KeyType>> ParseType(const Json& object) {
  SD_ASSIGN_OR_RETURN(const std::string kty, Text(object, "kty"));
  if (kty == "RSA") return KeyType::kRsa;
  if (kty != "EC" && kty != "OKP") return std::nullopt;
  SD_ASSIGN_OR_RETURN(const std::string curve, Text(object, "crv"));
  if (kty == "EC" && curve == "P-256") return KeyType::kP256;
  if (kty == "EC" && curve == "P-384") return KeyType::kP384;
  if (kty == "OKP" && curve == "Ed25519") return KeyType::kEd25519;
  return std::nullopt;
}

// Whether the key is meant to verify signatures, by "use" and "key_ops".
absl::StatusOr<bool> IsForVerification(const Json& object) {
  SD_ASSIGN_OR_RETURN(const std::optional<std::string> use, OptionalText(object, "use"));
  if (use && *use != "sig") return false;
  const auto operations = object.find("key_ops");
  if (operations == object.end()) return true;
  if (!operations->is_array()) return InvalidArgumentError("'key_ops' must be a list");
  return std::find(operations->begin(), operations->end(), "verify") != operations->end();
}

absl::StatusOr<KeyPointer> ParseMaterial(const Json& object, KeyType type) {
  const OpensslErrorScope errors;
  absl::StatusOr<KeyPointer> key = type == KeyType::kRsa       ? ParseRsa(object)
                                   : type == KeyType::kEd25519 ? ParseEd25519(object)
                                                               : ParseEc(object, type);
  if (key.ok() && *key == nullptr) return InvalidArgumentError("the key cannot be used");
  return key;
}

// The key of an object; nothing if it is skipped.
absl::StatusOr<std::optional<JsonWebKey>> ParseKey(const Json& object) {
  JsonWebKey key;
  SD_ASSIGN_OR_RETURN(const std::optional<KeyType> type, ParseType(object));
  if (!type) return std::nullopt;
  key.type = *type;
  SD_ASSIGN_OR_RETURN(const bool verifies, IsForVerification(object));
  if (!verifies) return std::nullopt;
  SD_ASSIGN_OR_RETURN(const std::optional<std::string> alg, OptionalText(object, "alg"));
  if (alg) {
    key.algorithm = ParseSignatureAlgorithm(*alg);
    if (!key.algorithm) return std::nullopt;
    if (KeyTypeOf(*key.algorithm) != key.type) {
      return InvalidArgumentError("'alg' is ", Quoted(*alg),
                                  ", which this type of key cannot have");
    }
  }
  if (object.contains("d")) {
    return InvalidArgumentError("the key is private; the file must hold public keys only");
  }
  SD_ASSIGN_OR_RETURN(const std::optional<std::string> id, OptionalText(object, "kid"));
  if (id) {
    if (id->empty() || id->size() > kMaxKeyIdBytes) {
      return InvalidArgumentError("'kid' must have 1 to ", kMaxKeyIdBytes, " bytes");
    }
    key.id = *id;
  }
  SD_ASSIGN_OR_RETURN(key.key, ParseMaterial(object, key.type));
  return key;
}

// "key 3 ('node')" for messages.
std::string NameOf(size_t index, const Json& object) {
  std::string name = Concat("key ", index);
  if (!object.is_object()) return name;
  const auto id = object.find("kid");
  if (id == object.end() || !id->is_string()) return name;
  return Concat(name, " (", Quoted(id->get_ref<const std::string&>(), 64), ")");
}

}  // namespace

absl::StatusOr<JsonWebKeySet> JsonWebKeySet::Parse(std::string_view text) {
  if (text.size() > kMaxKeySetBytes) {
    return InvalidArgumentError("the key set is larger than ", kMaxKeySetBytes, " bytes");
  }
  const absl::StatusOr<Json> json = ParseJsonObject(text);
  if (!json.ok()) return InvalidArgumentError("the key set ", Message(json.status()));
  const auto list = json->find("keys");
  if (list == json->end() || !list->is_array()) {
    return InvalidArgumentError("the key set must have a list of \"keys\"");
  }
  if (list->size() > kMaxKeysPerSet) {
    return InvalidArgumentError("the key set has more than ", kMaxKeysPerSet, " keys");
  }
  JsonWebKeySet set;
  std::set<std::string> ids;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& object = (*list)[i];
    if (!object.is_object()) return InvalidArgumentError("key ", i, ": must be a JSON object");
    absl::StatusOr<std::optional<JsonWebKey>> key = ParseKey(object);
    if (!key.ok()) return Annotate(key.status(), NameOf(i, object));
    if (!key->has_value()) continue;
    if (!(*key)->id.empty() && !ids.insert((*key)->id).second) {
      return InvalidArgumentError(NameOf(i, object), ": another key has the same 'kid'");
    }
    set.keys_.push_back(**std::move(key));
  }
  return set;
}

}  // namespace stagedoor::server
