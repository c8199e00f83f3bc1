import formbody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";
import { fieldsIn } from "./fields.ts";

/** Takes the bodies of forms, and none of the types that the root takes. */
export async function acceptForms(app: FastifyInstance, bodyLimit: number): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit, parser: fieldsIn });
}
