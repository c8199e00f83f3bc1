import type { Config } from "../../../src/platform/config/config.ts";
import { hostOf, isLoopbackHost } from "../../../src/platform/text/host-in-url.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("proxies");

/** Checks whether the gateway sees the real addresses of its clients. */
export function judgeProxies({
  publicUrl,
  trustedProxies,
  gatewayTls,
}: Pick<Config, "publicUrl" | "trustedProxies" | "gatewayTls">): Finding {
  if (trustedProxies.length > 0) return ok(`X-Forwarded-For is believed of ${trustedProxies.join(", ")}`);
  const isSecureElsewhere = publicUrl.startsWith("https:") && !gatewayTls;
  const isPublic = !isLoopbackHost(hostOf(publicUrl));
  if (!isSecureElsewhere && (!isPublic || gatewayTls))
    return ok("none, visitors reach the gateway themselves");
  return warning(
    `PUBLIC_URL is ${publicUrl} and TRUSTED_PROXIES is empty: behind a proxy all visitors look like one address`,
    "Set TRUSTED_PROXIES to your proxy's addresses, or all users share the limits on signing in.",
  );
}
