import type { FastifyRequest } from "fastify";
import { PublicError } from "../transcode/errors.ts";

export function notFound(): PublicError {
  return new PublicError("not_found", "There is nothing at this address.");
}

/** Refuses a path with an empty id, such as "/v1/payments/". Error: not_found. */
export function requireId({ params }: FastifyRequest): void {
  if (hasEmptyId(params as Record<string, string>)) throw notFound();
}

export function hasEmptyId(params: Readonly<Record<string, string | undefined>>): boolean {
  return Object.values(params).includes("");
}
