import type { Config } from "../../../src/platform/config/config.ts";
import { isLoopbackHost } from "../../../src/platform/text/host-in-url.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("public address");

/** Checks the configured addresses of the service for browsers and webhooks. */
export function* judgePublicAddress(
  config: Pick<Config, "publicUrl" | "host" | "allowHttpConsole" | "allowLoopbackWebhooks" | "isDemoMachine">,
): Generator<Finding> {
  const { publicUrl, host, allowHttpConsole, allowLoopbackWebhooks, isDemoMachine } = config;
  const { protocol, hostname } = new URL(publicUrl);
  const isPlain = protocol === "http:" && !isLoopbackHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (isPlain && allowHttpConsole) {
    const advice = "Serve https, set PUBLIC_URL to it, and leave CONSOLE_ALLOW_HTTP out.";
    yield warning(`${publicUrl}: passwords and sessions of the console travel unencrypted`, advice);
  } else if (isPlain) {
    const advice = "Serve https, with TLS_CERT and TLS_KEY or a proxy, and set PUBLIC_URL to it.";
    yield warning(`${publicUrl}: over http browsers keep no session of the console`, advice);
  } else {
    yield ok(`${publicUrl}, listening on ${host}`);
  }
  if (allowLoopbackWebhooks && !isDemoMachine) {
    const advice = "Leave WEBHOOK_ALLOW_LOOPBACK out, unless the receivers of test mode are on this machine.";
    yield warning("webhooks of test mode may go to this machine's own services", advice);
  }
}
