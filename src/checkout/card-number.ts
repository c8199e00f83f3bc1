// Digits that belong together for whoever reads them: with a few marks or spaces between, but no letter.
const DIGITS = /\d(?:[^\p{L}\d]{0,3}\d){12,}/gu;
const [SHORTEST, LONGEST] = [13, 19];
// A telephone number has up to 15 digits and may fit by chance.
const SHORTEST_BESIDE_PHONE = 16;

/** Whether the text holds something like a card's number: 13 to 19 digits in a row, apart or together, whose check digit fits. */
export function holdsCardNumber(text: string): boolean {
  return holdsNumber(text, SHORTEST);
}

/** As `holdsCardNumber`, of what should be a telephone number. */
export function phoneHoldsCardNumber(text: string): boolean {
  return holdsNumber(text, SHORTEST_BESIDE_PHONE);
}

function holdsNumber(text: string, shortest: number): boolean {
  const runs = text.normalize("NFKC").match(DIGITS) ?? [];
  return runs.some((run) => {
    const digits = run.replaceAll(/\D/g, "");
    for (let from = 0; from + shortest <= digits.length; from++) {
      for (let length = shortest; length <= LONGEST && from + length <= digits.length; length++) {
        if (isCardNumber(digits.slice(from, from + length))) return true;
      }
    }
    return false;
  });
}

/** Cards begin with 2 to 6; few other numbers pass both this and the check digit. */
function isCardNumber(digits: string): boolean {
  return /^[2-6]/.test(digits) && isLuhn(digits);
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of digits.split("").toReversed().entries()) {
    const doubled = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
