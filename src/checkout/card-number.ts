const CARD_LIKE = /(?<!\d)\d(?:[ .\-/]?\d){12,18}(?!\d)/g;
const LONGEST_PHONE = 15;

/** Whether the text holds something like a card's number: 13 to 19 digits, apart or together, whose check digit fits. */
export function holdsCardNumber(text: string): boolean {
  return candidates(text).some(isLuhn);
}

/** As `holdsCardNumber`, of a phone number: one of those may fit by chance, but none is as long as today's cards. */
export function phoneHoldsCardNumber(text: string): boolean {
  return candidates(text).some((digits) => digits.length > LONGEST_PHONE && isLuhn(digits));
}

function candidates(text: string): string[] {
  return (text.match(CARD_LIKE) ?? []).map((found) => found.replaceAll(/\D/g, ""));
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of digits.split("").toReversed().entries()) {
    const doubled = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
