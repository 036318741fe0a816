#include "server/queries/purposes.h"

#include <algorithm>

namespace stagedoor::server {

const Token& PurposeToken(v1::Purpose purpose) {
  static const Token kTokens[] = {Token("default"), Token("render"), Token("proxy"),
                                  Token("guide")};
  return kTokens[std::clamp(static_cast<int>(purpose) - 1, 0, 3)];
}

v1::Purpose PurposeToProto(Token purpose) {
  for (const v1::Purpose p :
       {v1::PURPOSE_DEFAULT, v1::PURPOSE_RENDER, v1::PURPOSE_PROXY, v1::PURPOSE_GUIDE}) {
    if (purpose == PurposeToken(p)) return p;
  }
  return v1::PURPOSE_OTHER;
}

}  // namespace stagedoor::server
