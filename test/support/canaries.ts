import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { randomBytes } from "node:crypto";

const DEPTH_MAX = 4;

/** Texts that are nowhere else, each put in one place: one that is found again shows which place leaks. */
export class Canaries {
  readonly #places = new Map<string, string>();
  readonly #forms = new Map<string, readonly string[]>();

  get count(): number {
    return this.#places.size;
  }

  /** A new one. Letters and digits alone, so that nothing escapes them; beside digits it makes no longer number. */
  new(place: string): string {
    return this.keep(place, `cnry${randomBytes(8).toString("hex")}y`);
  }

  /** Takes another text, such as a key, for one. */
  keep(place: string, text: string): string {
    this.#places.set(text, place);
    this.#forms.set(text, forms(text));
    return text;
  }

  /** A message as the contract's JSON, or as an init for its schema, with a canary in each of its texts. */
  message(desc: DescMessage, style: "json" | "init", depth = 1): Record<string, unknown> {
    if (desc.typeName === "google.protobuf.Struct") {
      const name = this.new(`${desc.typeName} key`);
      return { [name]: this.new(desc.typeName), nested: { list: [this.new(`${desc.typeName} list`)] } };
    }
    const filled = desc.fields.flatMap((field) => {
      const value = this.#field(field, style, depth);
      return value === undefined ? [] : [[style === "json" ? field.name : field.localName, value] as const];
    });
    return Object.fromEntries(filled);
  }

  #field(field: DescField, style: "json" | "init", depth: number): unknown {
    const place = `${field.parent.typeName}.${field.name}`;
    const scalar = (type: ScalarType): unknown => {
      if (type === ScalarType.STRING) return this.new(place);
      if (type === ScalarType.BYTES) return Buffer.from(this.new(place));
      return undefined;
    };
    switch (field.fieldKind) {
      case "scalar":
        return scalar(field.scalar);
      case "message":
        return depth < DEPTH_MAX ? this.message(field.message, style, depth + 1) : undefined;
      case "list":
        if (field.listKind === "scalar") return [scalar(field.scalar)].filter((item) => item !== undefined);
        return field.listKind === "message" && depth < DEPTH_MAX
          ? [this.message(field.message, style, depth + 1)]
          : undefined;
      case "map":
        return { [this.new(`${place} key`)]: field.mapKind === "scalar" ? scalar(field.scalar) : undefined };
      case "enum":
        return style === "json" ? this.new(place) : undefined;
    }
  }

  /** The places whose canary is in the text: as it is, in hex, in base64 at any offset, or percent-encoded. */
  foundIn(text: string): string[] {
    const folded = text.toLowerCase();
    return [...this.#places]
      .filter(([canary]) =>
        this.#forms.get(canary)?.some((form) => text.includes(form) || folded.includes(form)),
      )
      .map(([, place]) => place);
  }
}

function forms(canary: string): string[] {
  const bytes = Buffer.from(canary);
  const inBase64 = [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    // The first and the last characters depend on what is beside it.
    return shifted.slice(offset === 0 ? 0 : offset + 1, -3);
  });
  const inBothAlphabets = inBase64.flatMap((text) => [text, text.replaceAll("-", "+").replaceAll("_", "/")]);
  const hex = bytes.toString("hex");
  const percent = hex.replaceAll(/../g, (byte) => `%${byte}`);
  return [canary, canary.toLowerCase(), encodeURIComponent(canary), hex, percent, ...inBothAlphabets];
}
