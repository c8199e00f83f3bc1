import type { Response } from "playwright-core";
import type { TestService } from "../support/service.ts";

const TAGS = /<(?:script|style|link rel="stylesheet")[^>]*>/g;
const INLINE = /\sstyle="|\son\w+="|<script(?![^>]*\ssrc=)|javascript:/g;
const ASSETS = /\/(?:pay|console)\/assets\/[^"]+/g;
const LOOSE = /unsafe[-\w]*|\*/g;

/** Returns the styles and scripts of a page that have no nonce of its policy, and what is too loose in the policy. */
export async function policyFaults(answer: Response): Promise<string[]> {
  const policy = answer.headers()["content-security-policy"] ?? "";
  const body = await answer.text();
  const nonces = [...policy.matchAll(/'nonce-([^']+)'/g)].map(([, nonce = ""]) => nonce);
  const tags = body.match(TAGS) ?? [];
  const nonceless = tags.filter((tag) => !nonces.some((nonce) => tag.includes(`nonce="${nonce}"`)));
  return [
    ...(policy.includes("default-src 'none'") && tags.length >= 3 ? [] : [`policy: ${policy}`]),
    ...(policy.match(LOOSE) ?? []).map((loose) => `loose policy: ${loose}`),
    ...[...nonceless, ...(body.match(INLINE) ?? [])].map((tag) => `without nonce: ${tag}`),
  ];
}

/** What a first visit loads: the page with its styles and scripts, in bytes with their headers, compressed. */
export class VisitSizes {
  readonly #service: TestService;
  readonly #assets = new Map<string, Promise<number>>();

  constructor(service: TestService) {
    this.#service = service;
  }

  async of(answer: Response): Promise<number> {
    const { responseHeadersSize, responseBodySize } = await answer.request().sizes();
    const paths = new Set((await answer.text()).match(ASSETS));
    const assets = await Promise.all([...paths].map(async (path) => await this.#assetSize(path)));
    return assets.reduce((sum, size) => sum + size, responseHeadersSize + responseBodySize);
  }

  async #assetSize(path: string): Promise<number> {
    const size = this.#assets.get(path) ?? this.#load(path);
    this.#assets.set(path, size);
    return await size;
  }

  async #load(url: string): Promise<number> {
    const given = { url, headers: { "accept-encoding": "gzip, br" } };
    const { rawPayload, headers } = await this.#service.gateway.inject(given);
    return rawPayload.length + JSON.stringify(headers).length;
  }
}
