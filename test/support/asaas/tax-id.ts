/** True for a CPF or a CNPJ of digits, with its check digits. */
export function isTaxId(text: string): boolean {
  if (/^(\d)\1*$/.test(text)) return false;
  if (/^\d{11}$/.test(text)) return endsRight(text, [10, 11], 11);
  return /^\d{14}$/.test(text) && endsRight(text, [5, 6], 9);
}

/** Weights fall by one from the first to 2, and begin again at the highest. */
function endsRight(text: string, firsts: readonly [number, number], highest: number): boolean {
  return firsts.every((first, index) => {
    const digits = text.slice(0, text.length - 2 + index);
    let weight = first;
    let sum = 0;
    for (const digit of digits) {
      sum += Number(digit) * weight;
      weight = weight === 2 ? highest : weight - 1;
    }
    const rest = sum % 11;
    return Number(text.at(digits.length)) === (rest < 2 ? 0 : 11 - rest);
  });
}
