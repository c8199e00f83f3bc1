import { timingSafeEqual } from "node:crypto";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** Refuses every request that does not present the core token as its bearer token. */
export function requireCoreToken(token: string): Interceptor {
  const expected = Buffer.from(`Bearer ${token}`);
  return (next) => (request) => {
    const presented = Buffer.from(request.header.get("authorization") ?? "");
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) {
      throw new ConnectError("A core token is required.", Code.Unauthenticated);
    }
    return next(request);
  };
}
