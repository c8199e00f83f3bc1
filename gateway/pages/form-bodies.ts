import formbody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import { fieldsIn } from "./fields.ts";

const FIELDS_MAX = 1000;

/**
 * Takes the bodies of forms, and none of the types that the root takes. A form of more than 1000 fields, which no page has,
 * is taken as one without fields.
 */
export async function acceptForms(app: FastifyInstance, bodyLimit: number): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit, parser: (body) => fieldsIn(body, FIELDS_MAX) });
}
