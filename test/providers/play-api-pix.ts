import { dayAt } from "../../contract/day.ts";
import type { AccountStatement } from "../../src/providers/account-statement.ts";
import { ReceivedStatement } from "../../src/providers/api-pix/received-statement.ts";
import { ReportStatement } from "../../src/providers/api-pix/report-statement.ts";
import {
  accountAt,
  chargeRequest,
  CLIENT,
  connected,
  movedProfile,
  testBank,
  type TestBank,
} from "../api-pix/connected.ts";
import { forFile } from "../support/for-file.ts";
import { moneyBody } from "../../tools/bank/messages.ts";
import type { PlayedStatement } from "./account-statement-port.ts";
import type { AdapterPlays } from "./adapter.ts";

/** Starts a bank, and returns the API Pix played against it. */
export async function playApiPix(): Promise<AdapterPlays> {
  const made = await testBank();
  const { bank } = made;
  await forFile(Promise.resolve({ close: async () => await bank.stop() }));
  const { provider } = connected(made, accountAt(made));
  const chargeOf = (reference: string) => bank.account().charges.get(reference);
  const pix = {
    provider,
    request: chargeRequest,
    now: () => bank.clock.now(),
    pays: async (reference: string) => {
      const priceMinor = chargeOf(reference)?.revisions.at(-1)?.terms.amountMinor ?? 0n;
      return await Promise.resolve(bank.pay(reference, priceMinor).endToEndId);
    },
    losesAnswer: (to: "charge" | "refund") =>
      bank.fail(to === "charge" ? "createCharge" : "return", { kind: "lost" }),
    openCount: async (reference: string) =>
      await Promise.resolve(chargeOf(reference)?.status === "ATIVA" ? 1 : 0),
    callbackOf: async (reference: string) => {
      const money = chargeOf(reference)?.money ?? [];
      return await Promise.resolve(
        JSON.stringify({ pix: money.map((one) => moneyBody(one, bank.timeForm, true)) }),
      );
    },
  };
  return { isRemote: true, pix: async () => await Promise.resolve(pix), statement: playReceived };
}

/** Returns the statement by Efí's reports, played against a bank that makes them. */
export async function playReports(): Promise<AdapterPlays> {
  return await Promise.resolve({ isRemote: true, statement: playReported });
}

async function playReceived(): Promise<PlayedStatement> {
  const made = await startedBank();
  const { provider } = connected(made, accountAt(made));
  return playedAt(made, new ReceivedStatement(provider, made.bank.clock));
}

async function playReported(): Promise<PlayedStatement> {
  const made = await startedBank({ clients: [{ ...CLIENT, feeMinor: 119n }] });
  const { client } = connected(made, { ...accountAt(made), profile: movedProfile("efi") });
  return playedAt(made, new ReportStatement(client, made.bank.clock, () => undefined, [1, 1]));
}

async function startedBank(options: Parameters<typeof testBank>[0] = {}): Promise<TestBank> {
  const made = await testBank(options);
  await forFile(Promise.resolve({ close: async () => await made.bank.stop() }));
  return made;
}

function playedAt({ bank }: TestBank, statement: AccountStatement): PlayedStatement {
  let endToEndId = "";
  return {
    statement,
    today: () => dayAt(bank.clock.nowMs()).toString(),
    nextDay: () => bank.clock.advance(86_400),
    receives: async () => {
      ({ endToEndId } = bank.payKey(15_990n));
      return await Promise.resolve(endToEndId);
    },
    givesBack: async () => {
      bank.returnByBank(endToEndId, 5_000n);
      return await Promise.resolve(5_000n);
    },
  };
}
