import findMyWay from "find-my-way";
import { PublicError } from "../transcode/errors.ts";
import type { FastifyRequest } from "fastify";

/** An address, and a method that it takes. */
export interface Address {
  readonly path: string;
  readonly verb: string;
}

/** Returns the methods of a route. HEAD is GET without the body. */
export function verbsOf({ verb }: { readonly verb: string }): string[] {
  return verb === "GET" ? ["GET", "HEAD"] : [verb];
}

/** The methods of all addresses, for requests that no route takes. */
export class AddressVerbs {
  readonly #addresses: readonly Address[];
  readonly #maxParamLength: number;
  #router: ReturnType<typeof findMyWay> | undefined;

  constructor(addresses: readonly Address[], maxParamLength: number) {
    this.#addresses = addresses;
    this.#maxParamLength = maxParamLength;
  }

  /** Returns the methods of a request's address for `Allow`, or undefined if there is nothing at it. */
  of(url: string): string | undefined {
    this.#router ??= this.#compile();
    const found = this.#router.find("GET", url);
    if (!found || hasEmptyId(found.params)) return undefined;
    return (found.store as { readonly allowed: string }).allowed;
  }

  /** Runs at the first request that no route takes: a start need not wait for it. */
  #compile(): ReturnType<typeof findMyWay> {
    const router = findMyWay({ maxParamLength: this.#maxParamLength });
    // One entry an address: routes that refuse would be some thirty an address.
    for (const [path, same] of Map.groupBy(this.#addresses, (address) => address.path))
      router.on("GET", path, () => undefined, { allowed: same.map(({ verb }) => verb).join(", ") });
    return router;
  }
}

export function methodNotAllowed(allowed: string): PublicError {
  return new PublicError("method_not_allowed", `This address takes ${allowed} alone: send one of these.`);
}

export function notFound(): PublicError {
  return new PublicError("not_found", "There is nothing at this address: check its path.");
}

/** Refuses a path with an empty id, such as "/v1/payments/". Error: not_found. */
export function requireId({ params }: FastifyRequest): void {
  if (hasEmptyId(params as Record<string, string>)) throw notFound();
}

function hasEmptyId(params: Readonly<Record<string, string | undefined>>): boolean {
  return Object.values(params).includes("");
}
