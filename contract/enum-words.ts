import type { DescEnum } from "@bufbuild/protobuf";

/** The values of an enum in the contract's spelling: lower case, without the enum's prefix, without 0. */
export interface EnumWords {
  readonly wordOf: ReadonlyMap<number, string>;
  readonly numberOf: ReadonlyMap<string, number>;
}

const known = new WeakMap<DescEnum, EnumWords>();

export function enumWords(desc: DescEnum): EnumWords {
  let words = known.get(desc);
  if (!words) {
    const prefix = `${desc.name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()}_`;
    const pairs = desc.values
      .filter(({ number }) => number !== 0)
      .map(({ number, name }) => ({ number, word: name.slice(prefix.length).toLowerCase() }));
    words = {
      wordOf: new Map(pairs.map(({ number, word }) => [number, word])),
      numberOf: new Map(pairs.map(({ number, word }) => [word, number])),
    };
    known.set(desc, words);
  }
  return words;
}

type Numbers = Readonly<Record<string, number>>;

/** The words of a generated enum: "pending" | "succeeded". */
export type WordOf<Enum> = Lowercase<Exclude<keyof Enum & string, "UNSPECIFIED">>;

/** The values of a generated enum and their words, both ways and with their types. */
export interface Words<Enum extends Numbers> {
  readonly all: readonly WordOf<Enum>[];
  readonly numbers: Readonly<Record<WordOf<Enum>, Enum[keyof Enum]>>;
  /** Returns the value of a word, or undefined for any other text. */
  readonly numberOf: (text: string | undefined) => Enum[keyof Enum] | undefined;
  /** Returns the word of a value, or undefined for 0 and unknown values. */
  readonly wordOf: (number: number | undefined) => WordOf<Enum> | undefined;
  /** Returns the word of a value that validation has let pass. Throws RangeError on 0 and unknown values. */
  readonly knownWordOf: (number: number) => WordOf<Enum>;
}

export function wordsOf<Enum extends Numbers>(generated: Enum): Words<Enum> {
  type Word = WordOf<Enum>;
  type Value = Enum[keyof Enum];
  const pairs = Object.entries(generated)
    .filter(([, number]) => number !== 0)
    .map(([name, number]) => [name.toLowerCase() as Word, number as Value] as const);
  const numbers = new Map<string | undefined, Value>(pairs);
  const words = new Map<number | undefined, Word>(pairs.map(([word, number]) => [number, word]));
  return {
    all: pairs.map(([word]) => word),
    numbers: Object.fromEntries(pairs) as Record<Word, Value>,
    numberOf: (text) => numbers.get(text),
    wordOf: (number) => words.get(number),
    knownWordOf: (number) => {
      const word = words.get(number);
      if (word === undefined) throw new RangeError(`no word for ${number}`);
      return word;
    },
  };
}
