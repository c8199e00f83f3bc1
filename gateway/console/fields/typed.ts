import { textsOf } from "../../pages/form.ts";
import type { Guest } from "../visit.ts";

/** The fields of a form: submitted, or filled in by its address. */
export class Typed {
  readonly #texts: ReadonlyMap<string, readonly string[]>;

  constructor(texts: ReadonlyMap<string, readonly string[]>) {
    this.#texts = texts;
  }

  /** Returns the fields with these values. */
  static of(values: Readonly<Record<string, string | readonly string[] | undefined>>): Typed {
    return new Typed(new Map(Object.entries(values).map(([name, value]) => [name, [value ?? []].flat()])));
  }

  /** Returns the submitted fields. */
  static sent({ request }: Guest): Typed {
    return new Typed(textsOf(request.body));
  }

  /** Returns the fields in the query. */
  static asked({ request }: Guest): Typed {
    return new Typed(textsOf(request.query));
  }

  /** Returns the fields with one more value of a name. */
  with(name: string, value: string): Typed {
    return new Typed(new Map([...this.#texts, [name, [...this.texts(name), value]]]));
  }

  /** Returns the trimmed text of a field, or `fallback` if the field is missing. */
  text(name: string, fallback = ""): string {
    return this.#texts.get(name)?.at(-1)?.trim() ?? fallback;
  }

  /** Returns the text of a multi-line field, untrimmed. */
  lines(name: string): string {
    return this.#texts.get(name)?.at(-1) ?? "";
  }

  texts(name: string): readonly string[] {
    return this.#texts.get(name) ?? [];
  }
}
