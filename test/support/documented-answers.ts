import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { expect } from "vitest";
import { answerAt, openApi, problemsAt } from "./openapi.ts";

// Headers that mean something to a merchant: none may come undocumented.
const DOCUMENTED = [
  "X-Request-Id",
  "Idempotent-Replay",
  "Retry-After",
  "WWW-Authenticate",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
];

/** What a gateway answered where the document has an operation, held against it. */
export class DocumentedAnswers {
  readonly problems: string[] = [];
  count = 0;

  /** Looks at every answer from now on, however it was asked for. */
  watch(gateway: FastifyInstance): void {
    gateway.addHook("onSend", async (request, reply, payload) => {
      this.look(request, reply, reply.hasHeader("content-encoding") ? unpacked(payload) : payload);
      return payload;
    });
  }

  look(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const path = (request.routeOptions.url ?? "").replaceAll(/:(\w+)/g, "{$1}");
    const verb = request.method.toLowerCase();
    // Pages, unknown addresses and wrong verbs are no operations.
    const isWithoutId = Object.values(request.params ?? {}).includes("");
    if (!openApi.paths[path]?.[verb] || isWithoutId) return;
    this.count += 1;
    const problems = [
      ...answerProblems(path, verb, reply, payload),
      ...(reply.statusCode < 300 ? bodyProblems(path, verb, request.body) : []),
    ];
    this.problems.push(
      ...problems.map((problem) => `${verb} ${path} ${reply.statusCode}: ${problem}: ${String(payload)}`),
    );
  }

  /** Throws what was not as documented, and where a contract test looked at nothing. */
  expectNone(): void {
    // A drill has no test around it.
    const isTest = process.env["VITEST"] !== undefined;
    // oxlint-disable-next-line vitest/no-standalone-expect -- asked where the tests are, not for an expectation
    const isContract = isTest && (expect.getState().testPath?.includes("/test/contract/") ?? false);
    if (isContract && this.count === 0) throw new Error("no answer was held against the document");
    if (this.problems.length > 0) throw new Error(`not as documented:\n${this.problems.join("\n")}`);
  }
}

function unpacked(payload: unknown): unknown {
  if (!Buffer.isBuffer(payload)) return payload;
  const isGzip = payload[0] === 0x1f && payload[1] === 0x8b;
  return isGzip ? gunzipSync(payload) : brotliDecompressSync(payload);
}

function answerProblems(path: string, verb: string, reply: FastifyReply, payload: unknown): string[] {
  const found = answerAt(path, verb, reply.statusCode);
  if (!found) return ["the status is not documented"];
  const { place, answer } = found;
  const headers = answer.headers ?? {};
  const header = (name: string): unknown => reply.getHeader(name);
  const problems = DOCUMENTED.filter((name) => header(name) !== undefined && !headers[name]).map(
    (name) => `${name} is not documented`,
  );
  for (const [name, { $ref }] of Object.entries(headers)) {
    const { required } = openApi.components.headers[$ref.split("/").at(-1) ?? ""] as { required?: boolean };
    if (required && header(name) === undefined) problems.push(`${name} is missing`);
  }
  if (!String(header("content-type")).startsWith("application/json")) problems.push("it is not JSON");
  return [...problems, ...bodyProblemsAt(place, payload)];
}

/** A body that was taken must be one that the document allows. */
function bodyProblems(path: string, verb: string, body: unknown): string[] {
  if (!Buffer.isBuffer(body) || !openApi.paths[path]?.[verb]?.requestBody) return [];
  return bodyProblemsAt(["paths", path, verb, "requestBody"], body);
}

function bodyProblemsAt(place: readonly string[], text: unknown): string[] {
  return problemsAt([...place, "content", "application/json", "schema"], JSON.parse(String(text)));
}
