import { AwsClient } from "aws4fetch";
import { hash } from "node:crypto";
import type { BucketConfig } from "../platform/config/outside-config.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import { PICTURE_TYPE } from "./picture.ts";
import type { MediaStorage } from "./storage.ts";

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;
const MISSING = 404;

/**
 * Stores pictures in an S3 bucket. Other answers of the store than a picture's bytes are never read: they may contain
 * keys. Error: service_unavailable if the store cannot be reached, refuses, or takes too long.
 */
export class BucketStorage implements MediaStorage {
  readonly #client: AwsClient;
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor({ url, region, accessKeyId, secretAccessKey }: BucketConfig, timeoutMs = TIMEOUT_MS) {
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
      retries: ATTEMPTS - 1,
      initRetryMs: FIRST_PAUSE_MS,
    });
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const body = Uint8Array.from(bytes);
    // Without this header, the signature does not cover the bytes.
    const headers = { "content-type": PICTURE_TYPE, "x-amz-content-sha256": hash("sha256", body, "hex") };
    const response = await this.#ask(name, { method: "PUT", body, headers });
    await discard(response);
    if (!response.ok) throw refused("keep", response.status);
  }

  async get(name: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const response = await this.#ask(name, { method: "GET" });
    if (response.ok) return await beginning(response, bytesMax);
    await discard(response);
    if (response.status === MISSING) return undefined;
    throw refused("give", response.status);
  }

  async #ask(name: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#client.fetch(`${this.#url}/${name}`, {
        ...init,
        redirect: "error",
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
    } catch {
      throw notReached();
    }
  }
}

/** Returns the body's bytes, up to the first chunk that passes `bytesMax`. */
async function beginning(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      count += chunk.length;
      if (count > bytesMax) break;
    }
  } catch {
    throw notReached();
  }
  return Buffer.concat(chunks);
}

/** Discards the body, so that the connection can be reused. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

function refused(what: "keep" | "give", status: number): PaylinkError {
  return unavailable(new Error(`the store of pictures would not ${what} one: status ${status}`));
}

function notReached(): PaylinkError {
  return unavailable(new Error("the store of pictures does not answer"));
}

function unavailable(cause: Error): PaylinkError {
  return new PaylinkError("service_unavailable", "Pictures cannot be reached now.", null, { cause });
}
