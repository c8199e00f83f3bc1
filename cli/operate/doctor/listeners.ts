import { once } from "node:events";
import { get as getPlainly, type IncomingMessage } from "node:http";
import { get as getSecurely } from "node:https";
import { text } from "node:stream/consumers";
import type { Config } from "../../../src/platform/config/config.ts";
import { hostInUrl } from "../../../src/platform/text/host-in-url.ts";
import type { ClientTls } from "../../../src/platform/config/tls.ts";
import { askCore, askCoreHttp, type CoreAnswer } from "./core.ts";
import type { Listener } from "./ports.ts";

// A service that is slow to answer is not a stranger on its port.
const TIMEOUT_MS = 10_000;

/** Returns the service's listeners. `tls` is the TLS setup of the core's clients. */
export function listenersOf(config: Config, token: string | undefined, tls: ClientTls): Listener[] {
  const { host, port, corePort, coreHttpPort, callbackTlsPort, metricsPort, coreTls, gatewayTls } = config;
  const urlOf = (at: number, isSecure: boolean): string =>
    `${isSecure ? "https" : "http"}://${hostInUrl(host)}:${at}`;
  const core = (at: number): string => urlOf(at, coreTls !== undefined);
  return [
    { variable: "PORT", port, isOurs: () => isOurProbe(urlOf(port, gatewayTls !== undefined)) },
    {
      variable: "CORE_PORT",
      port: corePort,
      isOurs: async () => isCore(await askCore(core(corePort), token, tls)),
    },
    {
      variable: "CORE_HTTP_PORT",
      port: coreHttpPort,
      isOurs: async () => isCore(await askCoreHttp(core(coreHttpPort), token, tls)),
    },
    ...(callbackTlsPort === undefined
      ? []
      : [
          {
            variable: "CALLBACK_TLS_PORT",
            port: callbackTlsPort,
            isOurs: async () =>
              await answersAs(urlOf(callbackTlsPort, true), /^\{"error":\{"code":"not_found"/),
          },
        ]),
    ...(metricsPort === undefined
      ? []
      : [
          {
            variable: "METRICS_PORT",
            port: metricsPort,
            isOurs: async () => await isOurProbe(urlOf(metricsPort, false)),
          },
        ]),
  ];
}

function isCore(answer: CoreAnswer): boolean {
  return answer === "answers" || answer === "refuses the token";
}

async function isOurProbe(url: string): Promise<boolean> {
  return await answersAs(url, /^\{"status":"(ok|unavailable)"/);
}

async function answersAs(url: string, ours: RegExp): Promise<boolean> {
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  // The request sends no data and only asks whether this is paylink, so any certificate will do.
  const request = url.startsWith("https:")
    ? getSecurely(`${url}/livez`, { ...options, rejectUnauthorized: false })
    : getPlainly(`${url}/livez`, options);
  try {
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return ours.test(await text(response));
  } catch {
    return false;
  }
}
