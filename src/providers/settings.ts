import { invalidRequest, readAll, type PaylinkError } from "../platform/rpc/errors.ts";

/** A text for people, in Portuguese and in English. */
export type Words = readonly [pt: string, en: string];

/** One of the credentials and settings of an account, as people give it. */
export interface Setting {
  /** In files and requests; a part of "callback" is named "callback.proof". */
  readonly name: string;
  /** "file": the text of a file, such as PEM, or the bytes of another as a data URL. */
  readonly kind: "text" | "file" | "address" | "choice";
  readonly label: Words;
  readonly help?: Words;
  readonly isRequired?: true;
  /** True: a form never shows it again, not to who typed it either. */
  readonly isSecret?: true;
  /** Absent: what is usual of the kind. */
  readonly maxLength?: number;
  /** With "choice". */
  readonly options?: readonly (readonly [value: string, label: Words])[];
}

/** The settings that a request has. */
export interface Given {
  readonly values: Readonly<Record<string, string>>;
  /** Returns the request's field that has a setting. */
  readonly paramOf: (name: string) => string;
}

const MAX_LENGTHS = { text: 4096, file: 65_536, address: 2048, choice: 100 };
const NAME_CHARACTERS = 100;
const BYTES = /^data:[^,]*;base64,/;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** Returns the most characters that a setting has. */
export function maxLengthOf({ kind, maxLength }: Setting): number {
  return maxLength ?? MAX_LENGTHS[kind];
}

/** What a request gives of a profile's settings. A provider reads its config from it. */
export class GivenSettings {
  readonly #profile: string;
  readonly #settings: readonly Setting[];
  readonly #given: Given;

  constructor(profile: string, settings: readonly Setting[], given: Given) {
    this.#profile = profile;
    this.#settings = settings;
    this.#given = given;
  }

  /** Returns the text; empty: it was not given. */
  text(name: string): string {
    return this.#given.values[name] ?? "";
  }

  /** Returns the text, or null if it was not given. */
  textOrNull(name: string): string | null {
    return this.text(name) || null;
  }

  /** Returns a file's bytes, or undefined if it was given as a text or not at all. */
  bytes(name: string): Buffer | undefined {
    const text = this.text(name);
    const [prefix] = BYTES.exec(text) ?? [];
    return prefix === undefined ? undefined : Buffer.from(text.slice(prefix.length), "base64");
  }

  /** Returns a whole number, or undefined if it was not given. Error: invalid_request. */
  whole(name: string, least: number, most: number): number | undefined {
    const text = this.text(name);
    if (text === "") return undefined;
    const value = WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw this.wrong(name, `must be a whole number from ${least} to ${most}.`);
  }

  /** Errors: invalid_request on each setting that is missing, too long, none of its options, or not of the profile. */
  check(): void {
    const known = new Set(this.#settings.map(({ name }) => name));
    const unknown = Object.keys(this.#given.values).filter(
      (name) => this.text(name) !== "" && !known.has(name),
    );
    const refuse = (name: string): never => {
      throw this.wrong(name.slice(0, NAME_CHARACTERS), `is not for the profile ${this.#profile}.`);
    };
    readAll<Record<string, void>>(
      Object.fromEntries([
        ...this.#settings.map((setting) => [setting.name, () => this.#checkOne(setting)] as const),
        ...unknown.map((name) => [name, () => refuse(name)] as const),
      ]),
    );
  }

  /** Error: invalid_request on each of these that was not given. */
  requireGiven(...names: readonly string[]): void {
    readAll<Record<string, void>>(
      Object.fromEntries(names.map((name) => [name, () => this.#requireOne(name)])),
    );
  }

  /** Returns the request's field that has a setting. */
  paramOf(name: string): string {
    return this.#given.paramOf(name);
  }

  /** Returns the refusal of a setting. */
  wrong(name: string, what: string): PaylinkError {
    return invalidRequest(this.#given.paramOf(name), `${name} ${what}`);
  }

  #checkOne(setting: Setting): void {
    const { name, isRequired, options } = setting;
    if (isRequired) this.#requireOne(name);
    const text = this.text(name);
    if (text === "") return;
    const maxLength = maxLengthOf(setting);
    if ((this.bytes(name)?.length ?? text.length) > maxLength)
      throw this.wrong(name, `has more than ${maxLength} characters.`);
    if (options && !options.some(([value]) => value === text)) {
      throw this.wrong(name, `must be ${options.map(([value]) => value).join(" or ")}.`);
    }
  }

  #requireOne(name: string): void {
    if (this.text(name).trim() === "") throw this.wrong(name, "is missing.");
  }
}
