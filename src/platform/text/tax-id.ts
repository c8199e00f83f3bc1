import { withoutMarks } from "../../../contract/visible-text.ts";

const CPF_WEIGHT_MAX = 11;
const CNPJ_WEIGHT_MAX = 9;
const ZERO = "0".charCodeAt(0);

/** Returns a CPF or CNPJ without its marks, or null if it is none. A CNPJ may have letters before its check digits. */
export function readTaxId(text: string): string | null {
  const id = withoutMarks(text).toUpperCase();
  // All the same digit fits the check digits, and belongs to no one.
  if (/^(.)\1*$/.test(id)) return null;
  if (/^\d{11}$/.test(id)) return hasCheckDigits(id, CPF_WEIGHT_MAX) ? id : null;
  return /^[0-9A-Z]{12}\d{2}$/.test(id) && hasCheckDigits(id, CNPJ_WEIGHT_MAX) ? id : null;
}

/** Returns true if the last two characters are the check digits of those before. The weights begin at 2 from the right. */
function hasCheckDigits(id: string, weightMax: number): boolean {
  return [2, 1].every((left) => {
    const before = id.slice(0, id.length - left);
    return checkDigit(before, weightMax) === id.charCodeAt(before.length) - ZERO;
  });
}

function checkDigit(characters: string, weightMax: number): number {
  let sum = 0;
  for (let index = 0; index < characters.length; index++) {
    const fromRight = characters.length - 1 - index;
    sum += (characters.charCodeAt(index) - ZERO) * (2 + (fromRight % (weightMax - 1)));
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
