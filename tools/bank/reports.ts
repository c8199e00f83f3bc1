import { randomUUID } from "node:crypto";
import { checkDay } from "./checks.ts";
import type { BankClock } from "./clock.ts";
import { amountText, timeText } from "./messages.ts";
import { Problem } from "./problem.ts";
import type { Account, Fields, Money, Report, Return } from "./state.ts";

/** A movement of an account, and its record in a report. */
interface Movement {
  readonly at: Date;
  readonly amountMinor: bigint;
  readonly record: string;
}

/** Asks for a report of a day that is over, of its movements and its balances. Throws Problem. */
export function askReport(account: Account, body: Fields, waits: number, clock: BankClock): Fields {
  const day = checkDay(body["dataMovimento"]);
  if (day >= dayOf(clock.now()))
    throw new Problem("RequisicaoInvalida", "dataMovimento não é anterior a hoje");
  const report = { id: randomUUID(), day, askedAt: clock.now(), waits };
  account.reports.set(report.id, report);
  return waitingBody(report);
}

/** Returns a report's text, or its state while it is not made. Throws Problem. */
export function readReport(
  account: Account,
  id: string,
): { status: number; body: Fields } | { text: string } {
  const report = account.reports.get(id);
  if (!report) throw new Problem("NaoEncontrado", "recurso não encontrado");
  if (report.waits-- > 0) return { status: 202, body: waitingBody(report) };
  return { text: textOf(account, report) };
}

function waitingBody({ id, askedAt }: Report): Fields {
  return { id, dataSolicitacao: timeText(askedAt, "zulu"), status: "AGUARDANDO_PROCESSAMENTO" };
}

function textOf(account: Account, { day, askedAt }: Report): string {
  const movements = [...account.money.values()].flatMap((money) => movementsOf(account, money));
  const sumUntil = (isCounted: (at: string) => boolean): bigint =>
    movements
      .filter(({ at }) => isCounted(dayOf(at)))
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const records = movements.filter(({ at }) => dayOf(at) === day).map(({ record }) => record);
  return [
    `CA;Banco de Teste;364;1;517613;Loja;${dayOf(askedAt)};${day};Extrato de Conciliação API Pix;4.0`,
    `SDA;${signedText(sumUntil((at) => at < day))}`,
    ...records,
    `SD;${signedText(sumUntil((at) => at <= day))}`,
    `T;${records.length};0;0;0;0;0`,
    "",
  ].join("\n");
}

function movementsOf({ client }: Account, money: Money): Movement[] {
  const { endToEndId, txid, amountMinor, at, returns } = money;
  const protocol = protocolOf(endToEndId);
  const time = timeText(at, "zulu");
  const { feeMinor = 0n } = client;
  const received = {
    at,
    amountMinor,
    record: `PR;${protocol};${endToEndId};${txid ?? ""};${amountText(amountMinor)};***456789**;;;;${time}`,
  };
  const fee = {
    at,
    amountMinor: -feeMinor,
    record: `TPR;${protocol};${endToEndId};${amountText(feeMinor)};${time}`,
  };
  return [received, ...(feeMinor === 0n ? [] : [fee]), ...returns.flatMap((one) => returnOf(money, one))];
}

function returnOf({ endToEndId }: Money, { id, returnId, amountMinor, settledAt }: Return): Movement[] {
  if (settledAt === null) return [];
  const time = timeText(settledAt, "zulu");
  const record = `PDE;${protocolOf(returnId)};${endToEndId};${returnId};${id};${amountText(amountMinor)};${time}`;
  return [{ at: settledAt, amountMinor: -amountMinor, record }];
}

/** Returns a number in place of an id, as the bank has one for each movement. */
function protocolOf(id: string): string {
  return String(Number.parseInt(id.slice(-11), 16));
}

function signedText(minor: bigint): string {
  return minor < 0n ? `-${amountText(-minor)}` : amountText(minor);
}

/** Returns the day of São Paulo. */
function dayOf(at: Date): string {
  return timeText(at, "local").slice(0, "2026-01-01".length);
}
