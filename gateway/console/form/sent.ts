import type { Translate } from "../../pages/messages.ts";
import { Typed } from "../fields/typed.ts";
import { FormProblem, type Problems } from "../problems.ts";
import type { Visit } from "../visit.ts";
import type { DeclaredField } from "./field.ts";

const WHOLE_NUMBER = /^\d{1,6}$/;

/** A form as it was sent: its fields, each as the act that it asks for needs it. */
export class Sent<Key extends string, Name extends string, Loaded> {
  readonly t: Translate<Key>;
  readonly loaded: Loaded;
  /** The field of a request that acts once, however often its form is sent. Empty unless the form is `onlyOnce`. */
  readonly submission: { readonly submissionId?: string };
  readonly #visit: Visit;
  readonly #typed: Typed;
  readonly #initial: Typed;
  readonly #fields: ReadonlyMap<Name, DeclaredField<Key>>;

  constructor(
    visit: Visit,
    fields: ReadonlyMap<Name, DeclaredField<Key>>,
    of: Pick<Sent<Key, Name, Loaded>, "t" | "loaded" | "submission"> & { readonly initial: Typed },
  ) {
    this.t = of.t;
    this.loaded = of.loaded;
    this.submission = of.submission;
    this.#visit = visit;
    this.#typed = Typed.sent(visit);
    this.#initial = of.initial;
    this.#fields = fields;
  }

  /** Returns a field's text, trimmed unless it is a secret. Throws FormProblem when it must be given and is missing. */
  text(name: Name): string {
    const { kind } = this.#fields.get(name)?.field ?? {};
    const isSecret = kind === "password" || kind === "secret";
    return this.#given(name, isSecret ? this.#typed.lines(name) : this.#typed.text(name));
  }

  /** Returns all texts of a field. Throws FormProblem as `text` does, and for a text that its options do not have. */
  texts(name: Name): string[] {
    const texts = [...this.#typed.texts(name)];
    const options = this.#options(name);
    if (options && !texts.every((text) => options.has(text))) throw this.#refused(name);
    return this.#given(name, texts);
  }

  /** Returns the chosen option, or the initial one if none was sent. Throws FormProblem for any other text. */
  choice(name: Name): string {
    const chosen = this.#typed.text(name, this.#initial.text(name));
    if (this.#options(name)?.has(chosen)) return chosen;
    throw this.#refused(name);
  }

  /** Returns a whole number. Throws FormProblem for any other text. */
  whole(name: Name): number {
    const text = this.text(name);
    if (!WHOLE_NUMBER.test(text)) throw new FormProblem(name, this.#visit.t("field_whole_number"));
    return Number(text);
  }

  /** Returns the values that the user may choose, or undefined if the field has no options. */
  #options(name: Name): ReadonlySet<string> | undefined {
    const field = this.#fields.get(name)?.field;
    if (!field || !("options" in field)) return undefined;
    return new Set(field.options(this.t, this.#visit).map(([value]) => value));
  }

  #refused(name: Name): FormProblem {
    return new FormProblem(name, this.#visit.t("refused_field"));
  }

  #given<Value extends string | string[]>(name: Name, value: Value): Value {
    const field = this.#fields.get(name)?.field;
    const missing = field && "missing" in field ? field.missing : undefined;
    if (missing !== undefined && value.length === 0) throw new FormProblem(name, this.t(missing));
    return value;
  }
}

/** Returns the problems with the fields' own texts for what the core refused. A missing value stays a missing one. */
export function refusedIn<Key extends string, Name extends string>(
  visit: Visit,
  t: Translate<Key>,
  fields: ReadonlyMap<Name, DeclaredField<Key>>,
  problems: Problems,
): Problems {
  const isMissing = (text: string): boolean => text === visit.t("field_required");
  return new Map(
    [...problems].map(([name, text]) => {
      const { field, limits } = fields.get(name as Name) ?? {};
      const own = field && "refused" in field ? field.refused : undefined;
      return [name, own === undefined || isMissing(text) ? text : t(own, limits?.numbers)];
    }),
  );
}
