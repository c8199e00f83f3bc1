import { hash, timingSafeEqual } from "node:crypto";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** Refuses every request that does not present the core token as its bearer token. */
export function requireCoreToken(token: string): Interceptor {
  const expected = digest(`Bearer ${token}`);
  return (next) => (request) => {
    if (!timingSafeEqual(digest(request.header.get("authorization") ?? ""), expected)) {
      throw new ConnectError("A core token is required.", Code.Unauthenticated);
    }
    return next(request);
  };
}

// Digests are of one length, so that comparing them tells nothing of the token's.
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
