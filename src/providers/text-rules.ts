// Which characters the standard of PIX takes, and how many. Banks differ: a charge whose text is refused is asked for without.

const CODE_REFUSES = /[^\x20-\x7e]/g;
// That of a payment's messages, pacs.008 and pacs.004.
const PAYER_CHARACTERS_MAX = 140;
// A free text, but XML has none of these, nor half a character.
const PAYER_REFUSES = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;

/** Returns a text of a BR Code, which is EMV's "ans": printable ASCII, so without accents. It may be empty. */
export function codeText(text: string, max: number): string {
  return text.normalize("NFD").replaceAll(CODE_REFUSES, "").trim().slice(0, max).trim();
}

/** Returns a text for a payer, of whole characters; null if nothing of it is taken. */
export function payerText(text: string | null): string | null {
  const taken = (text ?? "").replaceAll(PAYER_REFUSES, " ").trim();
  return Array.from(taken).slice(0, PAYER_CHARACTERS_MAX).join("") || null;
}
