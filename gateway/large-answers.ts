import type { FastifyReply } from "fastify";
import { PublicError } from "./transcode/errors.ts";

// Smaller answers fit the kernel's buffers, so that a client that reads nothing holds little here.
const LARGE_CHARACTERS = 256 * 1024;
const TENANT_CHARACTERS_MAX = 32 * 1024 ** 2;
const ALL_CHARACTERS_MAX = 128 * 1024 ** 2;
const STALL_MS = 30_000;

/**
 * Bounds the large answers that clients have not read yet: a page of payments has up to 6 MB where each has as much
 * metadata as it may. An answer of which nothing is read for 30 seconds is cut off.
 */
export class LargeAnswers {
  readonly #stallMs: number;
  readonly #byTenant = new Map<string, number>();
  #all = 0;

  constructor(stallMs = STALL_MS) {
    this.#stallMs = stallMs;
  }

  /**
   * Counts an answer of a tenant in a mode until it is read or its connection ends. Errors: rate_limited,
   * service_unavailable.
   */
  hold(tenant: string, { length }: string, { raw }: FastifyReply): void {
    // A client that left during the call has no answer to read, and "close" does not come again.
    if (length < LARGE_CHARACTERS || raw.destroyed || raw.closed) return;
    const ofTenant = this.#byTenant.get(tenant) ?? 0;
    if (ofTenant + length > TENANT_CHARACTERS_MAX) {
      throw new PublicError(
        "rate_limited",
        "Read the large answers that were asked for before you ask for more.",
      );
    }
    if (this.#all + length > ALL_CHARACTERS_MAX) {
      throw new PublicError("service_unavailable", "Too many large answers are under way.");
    }
    this.#add(tenant, length);
    raw.once("close", () => this.#add(tenant, -length));
    raw.setTimeout(this.#stallMs, () => raw.destroy());
  }

  #add(tenant: string, length: number): void {
    this.#all += length;
    const ofTenant = (this.#byTenant.get(tenant) ?? 0) + length;
    if (ofTenant === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, ofTenant);
  }
}
