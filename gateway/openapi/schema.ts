import type { JsonObject } from "@bufbuild/protobuf";

/** A JSON Schema (2020-12), or a part of one. */
export type Schema = JsonObject;

type Section = "schemas" | "responses";

/** The definitions that the document refers to by name. */
export class Components {
  readonly #sections = { schemas: new Map<string, JsonObject>(), responses: new Map<string, JsonObject>() };

  /** Returns a reference to the name. The first call creates the definition. */
  refer(section: Section, name: string, make: () => JsonObject): Schema {
    const named = this.#sections[section];
    if (!named.has(name)) {
      // The name is reserved first, so that definitions that it refers to come after it.
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
