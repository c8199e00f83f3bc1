import { timingSafeEqual } from "node:crypto";
import {
  create,
  fromBinary,
  toBinary,
  type DescMessage,
  type Message,
  type MessageInitShape,
  getOption,
} from "@bufbuild/protobuf";
import type { ErrorCode } from "../../../contract/error-codes.ts";
import { HEADERS } from "../../../contract/headers.ts";
import type { Operation } from "../rpc/call.ts";
import type { Outcome } from "./claim.ts";
import type { Decision } from "./decision.ts";
import { PaylinkError, toConnectError } from "../rpc/errors.ts";
import { method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";
import { ofMethod } from "../../../contract/of-method.ts";
import type { Encryption } from "../db/encryption.ts";

// Temporary errors are not stored for replays, so that a retry with the same key may succeed.
const PASSING: ReadonlySet<ErrorCode> = new Set(["service_unavailable", "quote_fx_required"]);

/** Returns true for a temporary error. */
export function isPassing(error: unknown): boolean {
  return error instanceof PaylinkError && PASSING.has(error.code);
}

/** Returns what is stored of a decision, or of its error. Throws temporary errors and faults. */
export async function outcomeOf<Response>(
  { method, requestId }: Operation,
  fingerprint: Buffer,
  decide: () => Promise<Decision<Response>>,
): Promise<Pick<Decision<Response>, "changes" | "audit"> & { outcome: Outcome; response?: Response }> {
  const base = { fingerprint, requestId };
  try {
    const { response, changes, audit } = await decide();
    const { message, bytes } = encoded(method, response);
    return {
      outcome: { ...base, response: bytes, error: null },
      response: message as Response,
      changes,
      audit,
    };
  } catch (error) {
    if (!(error instanceof PaylinkError) || isPassing(error)) throw error;
    const { code, message, param, facts } = error;
    const hasFacts = Object.keys(facts).length > 0;
    const stored = { code, message, param, ...(hasFacts ? { facts } : {}) };
    return { outcome: { ...base, response: null, error: stored }, changes: [] };
  }
}

/** Returns a response as the message that it is, and as the bytes that are stored. */
export function encoded(
  { output }: Operation["method"],
  response: unknown,
): { message: Message; bytes: Uint8Array } {
  const message = create(output, response as MessageInitShape<DescMessage>);
  return { message, bytes: toBinary(output, message) };
}

/** Error: idempotency_key_reuse if the outcome is another request's. */
export function requireSame(earlier: Outcome, fingerprint: Buffer): void {
  if (timingSafeEqual(earlier.fingerprint, fingerprint)) return;
  const message = "This Idempotency-Key was used with another request: choose a new one for a new request.";
  throw new PaylinkError("idempotency_key_reuse", message);
}

/** Returns the first request's response, or throws its error. */
export function replay({ method, context }: Operation, earlier: Outcome): Message {
  const headers = { [HEADERS.idempotentReplay]: "true", [HEADERS.requestId]: earlier.requestId };
  if (earlier.error) throw toConnectError(errorOf(earlier), new Headers(headers));
  for (const [name, value] of Object.entries(headers)) context.responseHeader.set(name, value);
  return fromBinary(method.output, earlier.response as Uint8Array);
}

/** Returns the error of an outcome. */
export function errorOf({ error }: Outcome): PaylinkError {
  if (!error) throw new Error("an outcome is a response or an error");
  const { code, message, param, facts = {} } = error;
  return new PaylinkError(code as ErrorCode, message, param, { facts });
}

const hasSecret = ofMethod((method) => getOption(method, methodRules).hasSecret);

/** Keeps secrets out of what is stored for replays: the answers of RPCs that say so are encrypted there. */
export class SecretAnswers {
  readonly #encryption: Pick<Encryption, "encrypt" | "decrypt"> | undefined;

  constructor(encryption: Pick<Encryption, "encrypt" | "decrypt"> | undefined) {
    this.#encryption = encryption;
  }

  /** Returns the outcome as it is stored: at once if it holds no secret. */
  stored(operation: Operation, outcome: Outcome): Outcome | Promise<Outcome> {
    if (outcome.response === null || !hasSecret(operation.method)) return outcome;
    return this.#encrypted(operation, outcome, outcome.response);
  }

  /** Returns a stored outcome of the same request as it was: at once if it holds no secret. */
  opened(operation: Operation, outcome: Outcome): Outcome | Promise<Outcome> {
    if (outcome.response === null || !hasSecret(operation.method)) return outcome;
    return this.#decrypted(operation, outcome, outcome.response);
  }

  async #encrypted(operation: Operation, outcome: Outcome, response: Uint8Array): Promise<Outcome> {
    const text = Buffer.from(response).toString("base64");
    return { ...outcome, response: Buffer.from(await this.#required().encrypt(text, ownerOf(operation))) };
  }

  async #decrypted(operation: Operation, outcome: Outcome, response: Uint8Array): Promise<Outcome> {
    const text = await this.#required().decrypt(Buffer.from(response).toString(), ownerOf(operation));
    return { ...outcome, response: Buffer.from(text, "base64") };
  }

  #required(): Pick<Encryption, "encrypt" | "decrypt"> {
    if (!this.#encryption) throw new Error("there is no data key for answers with secrets");
    return this.#encryption;
  }
}

function ownerOf({ tenantId, mode, idempotencyKey = "" }: Operation): string {
  return `idempotency ${mode} ${tenantId} ${idempotencyKey}`;
}
