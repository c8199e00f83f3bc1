/** Money or a return by its id, in centavos. */
type Amounts = ReadonlyMap<string, bigint>;

/** What the bank has. */
export interface BankFigures {
  readonly money: Amounts;
  /** What went back, by the ids of money and return: "E…/ref…". */
  readonly returns: Amounts;
}

/** What the service's tables have. */
export interface BookFigures {
  /** Money by the payment that succeeded with it. */
  readonly successes: ReadonlyMap<string, { readonly id: string; readonly amountMinor: bigint }>;
  readonly exceptions: Amounts;
  /** Money in the register of unknown money. */
  readonly unknown: Amounts;
  readonly returns: Amounts;
  /** What went back of each payment's own money. */
  readonly refunded: Amounts;
  /** What the account provider_clearing says that the provider has. */
  readonly clearingMinor: bigint;
  /** What still waits for an answer, and what the ledger's check finds. */
  readonly loose: readonly string[];
}

/** What the merchant was sent, each event once, and what REST says. */
export interface MerchantFigures {
  readonly events: readonly {
    readonly type: string;
    readonly paymentId: string;
    readonly amountMinor: bigint;
  }[];
  /** The refunded amount of each payment that succeeded. */
  readonly payments: Amounts;
}

/** Returns in words where bank, books and merchant do not agree to the centavo. */
export function differences(bank: BankFigures, books: BookFigures, merchant: MerchantFigures): string[] {
  const { successes, exceptions, unknown, refunded } = books;
  const taken = [...successes.values()].map(({ id, amountMinor }) => [id, amountMinor] as const);
  const known = [...taken, ...exceptions, ...unknown];
  // A return of unknown money is of no payment either.
  const returns = new Map([...bank.returns].filter(([id]) => !unknown.has(id.split("/")[0] ?? "")));
  const told = (type: string): Amounts => sums(merchant.events.filter((event) => event.type === type));
  const sold = new Map([...successes].map(([paymentId, { amountMinor }]) => [paymentId, amountMinor]));
  const back = new Map(told("refund.succeeded"));
  for (const [id, amountMinor] of told("payment.returned")) back.set(id, (back.get(id) ?? 0n) + amountMinor);
  const left = total(sold) - total(refunded);
  return [
    ...books.loose,
    ...compared("money at the bank and in the books", bank.money, new Map(known)),
    ...(new Set(known.map(([id]) => id)).size === known.length ? [] : ["money is in the books twice"]),
    ...compared("returns at the bank and in the books", returns, books.returns),
    ...compared("successes in the books and payment.succeeded", sold, told("payment.succeeded")),
    ...compared("what went back in the books and in events", refunded, back),
    ...compared("what went back in the books and by REST", refunded, merchant.payments),
    ...(left === books.clearingMinor ? [] : [`provider_clearing has ${books.clearingMinor}, not ${left}`]),
    ...doubles(merchant),
  ];
}

export function total(amounts: Amounts): bigint {
  return [...amounts.values()].reduce((sum, amountMinor) => sum + amountMinor, 0n);
}

function compared(what: string, one: Amounts, other: Amounts): string[] {
  const ids = new Set([...one.keys(), ...other.keys()]);
  return [...ids].flatMap((id) => {
    const [left, right] = [one.get(id) ?? "nothing", other.get(id) ?? "nothing"];
    return left === right ? [] : [`${what}: ${id} has ${left} and ${right}`];
  });
}

function sums(events: MerchantFigures["events"]): Amounts {
  const found = new Map<string, bigint>();
  for (const { paymentId, amountMinor } of events) {
    found.set(paymentId, (found.get(paymentId) ?? 0n) + amountMinor);
  }
  return found;
}

/** A payment succeeds once. */
function doubles({ events }: MerchantFigures): string[] {
  const ids = events.filter(({ type }) => type === "payment.succeeded").map(({ paymentId }) => paymentId);
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} succeeded twice`);
}
