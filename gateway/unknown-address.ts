import type { FastifyRequest } from "fastify";
import { PublicError } from "./transcode/errors.ts";

export function notFound(): PublicError {
  return new PublicError("not_found", "There is nothing at this address.");
}

/** Refuses a path with an empty id, such as "/v1/payments/". Error: not_found. */
export function requireId({ params }: FastifyRequest): void {
  if (Object.values(params as Record<string, string>).includes("")) throw notFound();
}
