#include <filesystem>
#include <fstream>
#include <string>

#include "benchmark/benchmark.h"
#include "server/access/testing/test_signing_key.h"
#include "server/access/token_verifiers.h"

namespace stagedoor::server {
namespace {

struct Kind {
  std::string alg, digest;
  TestSigningKey (*make)();
};
const Kind kKinds[] = {{"RS256", "SHA256", [] { return TestSigningKey::Rsa(); }},
                       {"ES256", "SHA256", TestSigningKey::P256},
                       {"EdDSA", "", TestSigningKey::Ed25519}};

// The cost of authenticating a bearer token: verified (arguments 1), or remembered.
void VerifyToken(benchmark::State& state) {
  const Kind& kind = kKinds[state.range(0)];
  const TestSigningKey key = kind.make();
  const std::string file = std::filesystem::temp_directory_path() / "stagedoor_benchmark_keys.json";
  std::ofstream(file) << TestKeySet(key.Jwk("k"));
  auto now = std::chrono::system_clock::now();
  const std::string token = key.Token(
      "{\"alg\":\"" + kind.alg + "\",\"kid\":\"k\"}",
      R"({"iss":"https://id.studio.com","aud":"stagedoor","sub":"alice","exp":9999999999,)"
      R"("groups":["fx","lighting","render"],"email":"alice@studio.com"})",
      kind.digest);
  const TokenIssuer issuer{
      .issuer = "https://id.studio.com", .audience = "stagedoor", .jwks_file = file};
  const bool forget = state.range(1) != 0;
  auto verifiers = TokenVerifiers::Create(std::vector{issuer}, {.now = [&] { return now; }});
  for (auto _ : state) {
    if (forget) now += TokenVerifiers::kMaxCachedTime;
    benchmark::DoNotOptimize((*verifiers)->Verify(token).ok());
  }
  state.SetLabel(kind.alg + (forget ? " verified" : " remembered"));
  std::filesystem::remove(file);
}
BENCHMARK(VerifyToken)->ArgsProduct({{0, 1, 2}, {0, 1}});

}  // namespace
}  // namespace stagedoor::server
