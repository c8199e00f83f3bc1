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
