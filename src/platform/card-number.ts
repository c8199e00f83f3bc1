// Digits that a reader sees as one number, with marks and spaces between them, or with letters too.
const MARKED = /\d(?:[^\p{L}\d]{0,8}\d){12,}/gu;
const LETTERED = /\d(?:\D{0,8}\d){12,}/gu;
const PLAIN = /^[ -~]*$/;
const UNSEEN = /[\p{Cf}\p{M}]/gu;
const [SHORTEST, LONGEST] = [13, 19];
// A telephone number has up to 15 digits and may pass the check by chance.
const SHORTEST_BESIDE_PHONE = 16;

/**
 * Returns true if the text has something like a card number: 13 to 19 consecutive digits, of any script, grouped or
 * not, with a valid check digit. It is for texts that have no other long numbers.
 */
export function holdsCardNumber(text: string): boolean {
  return holdsNumber(plain(text), SHORTEST);
}

/**
 * Like `holdsCardNumber`, for text typed by a payer: it also finds numbers of known brands with letters between the
 * digits.
 */
export function typedCardNumber(text: string): boolean {
  const digits = plain(text);
  return holdsNumber(digits, SHORTEST) || hidesNumber(digits);
}

/** Like `typedCardNumber`, for a telephone number. */
export function phoneHoldsCardNumber(text: string): boolean {
  const digits = plain(text);
  return holdsNumber(digits, SHORTEST_BESIDE_PHONE) || hidesNumber(digits);
}

function holdsNumber(text: string, shortest: number): boolean {
  return (text.match(MARKED) ?? []).some((run) => hasPart(run, shortest, LONGEST, isLikeCard));
}

/** Cards begin with 2 to 6. Few other numbers pass both this and the check digit. */
function isLikeCard(digits: string): boolean {
  return /^[2-6]/.test(digits) && isLuhn(digits);
}

function hidesNumber(text: string): boolean {
  return (text.match(LETTERED) ?? []).some((run) => hasPart(run, 15, 16, isBrandNumber));
}

function hasPart(run: string, shortest: number, longest: number, fits: (digits: string) => boolean): boolean {
  const digits = run.replaceAll(/\D/g, "");
  for (let from = 0; from + shortest <= digits.length; from++) {
    for (let length = shortest; length <= longest && from + length <= digits.length; length++) {
      if (fits(digits.slice(from, from + length))) return true;
    }
  }
  return false;
}

// A merchant's own numbers, such as an order's, must seldom be taken for card numbers. So only complete groups of
// digits are checked, with the current lengths and prefixes of brands.
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
const RUN = /\d+(?:[^\p{L}\p{N}]{1,8}\d+)*/gu;
// The key of a Brazilian invoice (NF-e), which is printed in groups of four.
const INVOICE_KEY_DIGITS = 44;
const BRANDS: ReadonlyMap<number, RegExp> = new Map([
  [14, /^3(?:0[0-5]|[689])/],
  [15, /^3[47]/],
  [
    16,
    /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|3841[046]0|50(?:4175|6699|67[0-7]|9)|6(?:011|06282|2|27780|36297|36368|37(?:095|568|599|609|612)|4[4-9]|5))/,
  ],
]);
// The groups of numbers with 16, 15 and 14 digits: the numbers of equal groups by their size, and those of American
// Express and Diners.
const EQUAL_GROUPS: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [15, 16]],
  [2, [8]],
  [4, [4]],
  [15, [1]],
  [16, [1]],
]);
const OTHER_GROUPS = [
  [4, 6, 5],
  [4, 6, 4],
] as const;
const ZERO = 48;

/**
 * Returns true if a merchant's text, which may have other long numbers, reads as a card number: groups of 16 digits (15
 * for American Express, 14 for Diners as printed) in a brand's range with a valid check digit. Letters separate
 * numbers.
 */
export function readsAsCardNumber(text: string): boolean {
  // One character may be two digits after normalization.
  if (text.length < 7 || (PLAIN.test(text) && !hasDigits(text, 14))) return false;
  return (plain(text).replaceAll(UUID, " x ").match(RUN) ?? []).some((run) => {
    const whole = run.replaceAll(/\D+/g, "");
    if (whole.length === INVOICE_KEY_DIGITS) return false;
    return (whole.length > 14 && isBrandNumber(whole)) || hasCard(groupSizes(run), whole);
  });
}

function hasDigits(text: string, count: number): boolean {
  let found = 0;
  for (let index = 0; index < text.length && found < count; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO && code < ZERO + 10) found++;
  }
  return found >= count;
}

/** Returns the number of digits in each group. */
function groupSizes(run: string): number[] {
  const sizes: number[] = [];
  let size = 0;
  for (let index = 0; index <= run.length; index++) {
    const code = run.charCodeAt(index);
    if (code >= ZERO && code < ZERO + 10) {
      size++;
    } else if (size > 0) {
      sizes.push(size);
      size = 0;
    }
  }
  return sizes;
}

/**
 * Returns true if groups written like a card's contain a card number. It takes a few steps for each group and digit.
 */
function hasCard(sizes: readonly number[], digits: string): boolean {
  let sums: ReturnType<typeof checkSums> | undefined;
  const isCard = (begin: number, length: number): boolean => {
    sums ??= checkSums(digits);
    const end = begin + length;
    const sum = sums[end % 2 === 0 ? "even" : "odd"];
    return ((sum[end] ?? 0) - (sum[begin] ?? 0)) % 10 === 0 && isBrand(digits.slice(begin, end));
  };
  let end = digits.length;
  let equal = 0;
  for (let from = sizes.length - 1; from >= 0; from--) {
    const size = sizes[from] ?? 0;
    const begin = end - size;
    equal = size === sizes[from + 1] ? equal + 1 : 1;
    for (const count of EQUAL_GROUPS.get(size) ?? []) {
      if (count <= equal && isCard(begin, count * size)) return true;
    }
    for (const [first, second, third] of OTHER_GROUPS) {
      const isWritten = size === first && sizes[from + 1] === second && sizes[from + 2] === third;
      if (isWritten && isCard(begin, size + second + third)) return true;
    }
    end = begin;
  }
  return false;
}

/**
 * Returns the sums of the digits before each position, with the digits at even positions doubled, and with those at odd
 * ones.
 */
function checkSums(digits: string) {
  const [even, odd] = [new Uint32Array(digits.length + 1), new Uint32Array(digits.length + 1)];
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(index) - ZERO;
    const isEven = index % 2 === 0;
    even[index + 1] = (even[index] ?? 0) + (isEven ? doubled(digit) : digit);
    odd[index + 1] = (odd[index] ?? 0) + (isEven ? digit : doubled(digit));
  }
  return { even, odd };
}

function isBrandNumber(digits: string): boolean {
  return isBrand(digits) && isLuhn(digits);
}

function isBrand(digits: string): boolean {
  return BRANDS.get(digits.length)?.test(digits) === true;
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(index) - ZERO;
    sum += (digits.length - index) % 2 === 0 ? doubled(digit) : digit;
  }
  return sum % 10 === 0;
}

function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}

/** Returns the text as a reader sees it: digits of every script as 0 to 9, without invisible characters. */
function plain(text: string): string {
  if (PLAIN.test(text)) return text;
  // Marks are removed first: without them, normalizing takes linear time. Sorting many consecutive marks takes
  // quadratic time.
  return text
    .replaceAll(UNSEEN, "")
    .normalize("NFKC")
    .replaceAll(UNSEEN, "")
    .replaceAll(/[^\d\P{Nd}]/gu, asciiDigit);
}

/** The digits of a script are consecutive from zero. Adjacent scripts have ten each, so the remainder is the digit. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start--;
  return String((code - start) % 10);
}
