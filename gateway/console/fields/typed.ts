import { textsOf } from "../../pages/form.ts";
import type { Guest } from "../visit.ts";

/** What somebody typed into a form, or what its address fills in. */
export class Typed {
  readonly #texts: ReadonlyMap<string, readonly string[]>;

  constructor(texts: ReadonlyMap<string, readonly string[]>) {
    this.#texts = texts;
  }

  /** What was sent with the form. */
  static sent({ request }: Guest): Typed {
    return new Typed(textsOf(request.body));
  }

  /** What stands in the address. */
  static asked({ request }: Guest): Typed {
    return new Typed(textsOf(request.query));
  }

  /** Whether the form was sent, even with nothing chosen. */
  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The text of a field, trimmed; `fallback` where the form was not sent. */
  text(name: string, fallback = ""): string {
    return this.#texts.get(name)?.at(-1)?.trim() ?? fallback;
  }

  /** As typed, for a field of several lines. */
  lines(name: string): string {
    return this.#texts.get(name)?.at(-1) ?? "";
  }

  texts(name: string): readonly string[] {
    return this.#texts.get(name) ?? [];
  }

  /** What was chosen among boxes; `fallback` before the form was sent. */
  chosen(name: string, fallback: readonly string[]): readonly string[] {
    return this.isEmpty ? fallback : this.texts(name);
  }
}
