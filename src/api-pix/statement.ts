import type { ReceivedIn, ReceivedMoney } from "../providers/ports.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { ApiPixClient } from "./client.ts";
import { readStatement, type StatementPage } from "./messages.ts";

// New money moves the pages of a statement while it is read.
const READINGS_MAX = 3;
const DAY_MS = 86_400_000;

/** Yields the money that an account received in a period, oldest first. Throws ProviderFault. */
export async function* statementOf(
  client: ApiPixClient,
  { from, to }: ReceivedIn,
  filter: Readonly<Record<string, string>> = {},
): AsyncGenerator<ReceivedMoney> {
  const windowMs = client.account.profile.windowDays * DAY_MS;
  // Windows overlap where a bank's times have no milliseconds.
  let earlier: ReadonlySet<string> = new Set();
  for (let startMs = from.getTime(); startMs <= to.getTime(); startMs += windowMs) {
    const window = { from: new Date(startMs), to: new Date(Math.min(startMs + windowMs - 1, to.getTime())) };
    const found = await wholeWindow(client, window, filter);
    for (const money of found) if (!earlier.has(money.providerPaymentId)) yield money;
    earlier = new Set(found.map(({ providerPaymentId }) => providerPaymentId));
  }
}

/** Returns the money of one window. Pages that shift while they are read are read again. */
async function wholeWindow(
  client: ApiPixClient,
  window: ReceivedIn,
  filter: Readonly<Record<string, string>>,
): Promise<ReceivedMoney[]> {
  for (let reading = 0; reading < READINGS_MAX; reading++) {
    const found = new Map<string, ReceivedMoney>();
    const ids = new Set<string>();
    const first = await page(client, window, filter, 0);
    let last = first;
    for (let number = 1; ; number++) {
      for (const id of last.ids) ids.add(id);
      for (const money of last.money) found.set(money.providerPaymentId, money);
      if (number >= last.pages || last.ids.length === 0) break;
      last = await page(client, window, filter, number);
    }
    if (ids.size === last.total && first.total === last.total) {
      return [...found.values()].toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
    }
  }
  throw new ProviderFault("unknown", "the pages of a statement went on shifting", { code: "shifting_pages" });
}

async function page(
  client: ApiPixClient,
  { from, to }: ReceivedIn,
  filter: Readonly<Record<string, string>>,
  number: number,
): Promise<StatementPage> {
  const { profile, pixKey } = client.account;
  const { hasMilliseconds, pageSize } = profile;
  const query = new URLSearchParams({
    inicio: hasMilliseconds ? from.toISOString() : secondText(from, Math.floor),
    fim: hasMilliseconds ? to.toISOString() : secondText(to, Math.ceil),
    ...filter,
    "paginacao.paginaAtual": String(number),
    "paginacao.itensPorPagina": String(pageSize),
  });
  const found = await client.call({ method: "GET", resource: "pix", path: `/pix?${query.toString()}` });
  if (!found.fields) throw new ProviderFault("unknown", "a statement was answered without a body");
  // Some banks answer 404, in their own JSON, to an empty statement.
  if (!found.isFound) return { money: [], ids: [], pages: 1, total: 0 };
  return readStatement(found.fields, pixKey);
}

function secondText(time: Date, round: (seconds: number) => number): string {
  return new Date(round(time.getTime() / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
