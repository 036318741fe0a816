#include "server/handshake_failures.h"

#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr char kNoCertificate[] =
    "Handshake failed with fatal error SSL_ERROR_SSL: error:0A0000C7:SSL routines::peer did not "
    "return a certificate.";

TEST(HandshakeFailuresTest, TheReasonIsThatOfOpenssl) {
  EXPECT_EQ(HandshakeFailureOf(kNoCertificate), "peer did not return a certificate");
  EXPECT_EQ(HandshakeFailureOf("Handshake failed with fatal error SSL_ERROR_SSL: "
                               "error:0A00010B:SSL routines::wrong version number."),
            "the client does not use TLS (wrong version number)");
  EXPECT_EQ(HandshakeFailureOf("Handshake failed with fatal error SSL_ERROR_SSL: "
                               "error:0A00009C:SSL routines::http request."),
            "the client does not use TLS (http request)");
  EXPECT_EQ(HandshakeFailureOf("Handshake failed with fatal error "),
            "Handshake failed with fatal error");
  for (const char* other : {"", "Handshake", "a: Handshake failed with fatal error x: y"}) {
    EXPECT_EQ(HandshakeFailureOf(other), "") << other;
  }
}

TEST(HandshakeFailuresTest, TheHandlerGetsABurstOfThem) {
  gpr_log_verbosity_init();  // as InitializeLog does
  static std::vector<std::string> reported;
  TakeHandshakeFailures([](std::string_view reason, uint64_t more) {
    reported.push_back(Concat(reason, " ", more));
  });
  gpr_log(GPR_ERROR, "something else");
  for (int i = 0; i < 1000; ++i) gpr_log(GPR_ERROR, "%s", kNoCertificate);
  ASSERT_GE(reported.size(), 20u);
  EXPECT_LT(reported.size(), 1000u);
  EXPECT_EQ(reported.front(), "peer did not return a certificate 0");
}

}  // namespace
}  // namespace stagedoor::server
