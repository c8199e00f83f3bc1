import { getOption } from "@bufbuild/protobuf";
import { method as methodRules } from "../../../gen/paylink/options/v1/options_pb.ts";
import { ofMethod } from "../../../contract/of-method.ts";
import type { Operation } from "../rpc/call.ts";
import type { Outcome } from "./claim.ts";
import type { Encryption } from "../db/encryption.ts";

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
