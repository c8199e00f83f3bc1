import type { JsonObject } from "@bufbuild/protobuf";

/** A JSON Schema (2020-12), or a part of one. */
export type Schema = JsonObject;

type Section = "schemas" | "responses";

/** What is said once and referred to by its name. */
export class Components {
  readonly #sections = { schemas: new Map<string, JsonObject>(), responses: new Map<string, JsonObject>() };

  /** A reference to what has that name, which is made when it is first asked for. */
  refer(section: Section, name: string, make: () => JsonObject): Schema {
    const named = this.#sections[section];
    if (!named.has(name)) {
      // Its place first: what it refers to in turn comes after it.
      named.set(name, {});
      named.set(name, make());
    }
    return { $ref: `#/components/${section}/${name}` };
  }

  toJson(): Record<Section, JsonObject> {
    const { schemas, responses } = this.#sections;
    return { responses: Object.fromEntries(responses), schemas: Object.fromEntries(schemas) };
  }
}
