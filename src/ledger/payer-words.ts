import type { Encryption } from "../platform/db/encryption.ts";
import { readTaxId } from "../platform/text/tax-id.ts";

const HASH_CHARACTERS = 16;
const MARK = /\p{M}/gu;
// As a list shortens a last name: hashes of whole words cannot find it.
const INITIAL = /(?<!\S)\p{L}\p{M}*\.(?!\S)/gu;
const BETWEEN = /[^\p{L}\p{N}]+/u;

/** What of a payer's details finds their payments. */
export interface NamedPayer {
  readonly name?: string;
  readonly email?: string;
  /** CPF or CNPJ without its marks. */
  readonly document?: string;
}

/**
 * Returns what a payer is found by: each word of the name, the whole e-mail address and the whole document, as keyed
 * hashes of this tenant alone. They say nothing without the data key.
 */
export function payerWords(
  encryption: Encryption,
  tenantId: string,
  { name = "", email, document }: NamedPayer,
): string[] {
  const whole = [email?.toLowerCase(), document].filter((text) => text !== undefined);
  return hashed(encryption, tenantId, [...wordsOf(name), ...whole]);
}

/**
 * Returns the hashes that a payer must have all of to be found by what was typed, but for initials with a point; none: it
 * names no payer.
 */
export function typedPayerWords(encryption: Encryption, tenantId: string, typed: string): string[] {
  const document = readTaxId(typed);
  const words =
    document !== null
      ? [document]
      : typed.includes("@")
        ? [typed.toLowerCase()]
        : wordsOf(typed.replaceAll(INITIAL, " "));
  return hashed(encryption, tenantId, words);
}

/** Returns the words without accents, in lower case. */
function wordsOf(text: string): string[] {
  const plain = text.normalize("NFD").replaceAll(MARK, "").toLowerCase();
  return plain.split(BETWEEN).filter((word) => word !== "");
}

function hashed(encryption: Encryption, tenantId: string, words: readonly string[]): string[] {
  const owner = `payer words of ${tenantId}`;
  return [...new Set(words)].map((word) => encryption.keyedHash(word, owner).slice(0, HASH_CHARACTERS));
}
