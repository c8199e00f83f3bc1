import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { PricingService } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { ClientTls } from "../../../src/platform/config/tls.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, problem } = findingsOf("core");
// A core that is slow to answer is a core.
const TIMEOUT_MS = 10_000;

/** A core's answer: it accepts the token, refuses it, is no core, or does not answer. */
export type CoreAnswer = "answers" | "refuses the token" | "is no core" | "is not there";

/** Asks a core's gRPC listener. */
export async function askCore(
  baseUrl: string,
  token: string | undefined,
  nodeOptions: ClientTls,
): Promise<CoreAnswer> {
  return await ask(createGrpcTransport({ baseUrl, nodeOptions }), token);
}

/** Asks a core's HTTP/1.1 listener, which gateways in other processes use. */
export async function askCoreHttp(
  baseUrl: string,
  token: string | undefined,
  nodeOptions: ClientTls,
): Promise<CoreAnswer> {
  return await ask(createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions }), token);
}

async function ask(transport: Transport, token = ""): Promise<CoreAnswer> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    await createClient(PricingService, transport).listSigningKeys({}, { headers, timeoutMs: TIMEOUT_MS });
    return "answers";
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    if (code === Code.Unauthenticated && /token/.test(rawMessage)) return "refuses the token";
    return /ECONNREFUSED/.test(rawMessage) ? "is not there" : "is no core";
  }
}

export function judgeCore(url: string, answer: CoreAnswer): Finding {
  switch (answer) {
    case "answers":
      return ok(`${url} answers`);
    case "is not there":
      return ok(`nothing runs at ${url}: npm start`);
    case "refuses the token":
      return problem(`${url} refuses this token`, "Set CORE_TOKEN, or DATA_DIR, to that core's.");
    case "is no core":
      return problem(
        `${url} does not answer as a core`,
        "Set CORE_URL or CORE_PORT to where the core listens.",
      );
  }
}
