import type { Visit } from "../visit.ts";

const PROOF = "proof";

type Found<Name extends string> = { readonly [Key in Name]?: number };

/**
 * Returns the numbers of a notice as parameters of the address that shows it, with a proof. Without it, the address in a
 * stranger's link would show any numbers. An undefined number is left out.
 */
export function figures(
  visit: Visit,
  numbers: Readonly<Record<string, number | bigint | undefined>>,
): Record<string, string> {
  const given = Object.entries(numbers).flatMap(([name, number]) =>
    number === undefined ? [] : [[name, String(number)] as const],
  );
  return given.length === 0 ? {} : { ...Object.fromEntries(given), [PROOF]: visit.proofOf(textOf(given)) };
}

/** Returns the numbers in the address, or none if this session did not make them. */
export function figuresOf<Name extends string>(visit: Visit, names: readonly Name[]): Found<Name> {
  const given = names.flatMap((name) => {
    const text = visit.query[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  if (given.length === 0 || visit.query[PROOF] !== visit.proofOf(textOf(given))) return {};
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)])) as Found<Name>;
}

function textOf(given: readonly (readonly [name: string, text: string])[]): string {
  return JSON.stringify(given.toSorted(([a], [b]) => a.localeCompare(b)));
}
