// What reads as one number: alone, or in groups as on a card, with one space or dash between them.
const MARK = String.raw`[\s\p{Pd}]`;
const GROUPS = [
  String.raw`\d{15,16}`,
  String.raw`\d{4}${MARK}\d{4}${MARK}\d{4}${MARK}\d{2,4}`,
  String.raw`\d{4}${MARK}\d{6}${MARK}\d{4,5}`,
];
// Looks ahead, so that a number is found among other groups too.
const NUMBER = new RegExp(String.raw`(?<!\d)(?=(${GROUPS.join("|")})(?!\d))`, "gu");
// The key of a Brazilian invoice (NF-e) as it is printed: 44 digits in groups of four.
const INVOICE_KEY = new RegExp(String.raw`(?<!\d)\d{4}(?:${MARK}\d{4}){10}(?!\d)`, "gu");
const SHORTEST = /(?:\d\D?){14}/;
// By length. Of 14 digits, those of Diners, only groups count: a CNPJ and a time have as many.
const BRANDS: ReadonlyMap<number, RegExp> = new Map([
  [14, /^3(?:0[0-5]|[689])/],
  [15, /^3[47]/],
  [
    16,
    /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|3841[046]0|50(?:4175|6699|67[0-7]|9)|6(?:011|06282|2|27780|36297|36368|37(?:095|568|599|609|612)|4[4-9]|5))/,
  ],
]);

/**
 * Returns true if a text has a card number: in a brand's range, of its length and with a valid check digit, alone or in
 * groups as on a card.
 */
export function holdsCardNumber(text: string): boolean {
  if (!SHORTEST.test(text)) return false;
  for (const [, number = ""] of text.replaceAll(INVOICE_KEY, "").matchAll(NUMBER)) {
    const digits = number.replaceAll(/\D/g, "");
    if (BRANDS.get(digits.length)?.test(digits) === true && isLuhn(digits)) return true;
  }
  return false;
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[index]);
    sum += (digits.length - index) % 2 === 0 ? doubled(digit) : digit;
  }
  return sum % 10 === 0;
}

function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}
