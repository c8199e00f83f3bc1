import { setTimeout as delay } from "node:timers/promises";
import { createClient, type Client } from "@connectrpc/connect";
import { dayAt, startOfDay } from "../../contract/day.ts";
import {
  BankPath,
  ReconciliationService,
  type AccountDay,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { differenceKinds, legs, rules, states } from "../../src/reconciliation/mapping.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import type { TestService } from "../support/service.ts";

export type BankRow = readonly [day: string, amount: bigint, text: string, bankId: string];

/** A merchant of test mode whose payments, statement and bank are reconciled. */
export class Books {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly client: Client<typeof ReconciliationService>;

  constructor(service: TestService, merchant: Merchant) {
    this.service = service;
    this.merchant = merchant;
    this.client = createClient(ReconciliationService, service.core.transport);
  }

  static async of(service: TestService): Promise<Books> {
    return new Books(service, await createMerchant(service));
  }

  get as() {
    return this.merchant.as;
  }

  today(): string {
    return dayAt(this.service.clock.nowMs()).toString();
  }

  /** Noon of the next day. */
  nextDay(): string {
    const next = dayAt(this.service.clock.nowMs()).add({ days: 1 });
    this.service.clock.set(new Date(startOfDay(next) + 12 * 3_600_000));
    return next.toString();
  }

  async bankAccount(values: object = {}): Promise<string> {
    const { bankAccount } = await this.client.createBankAccount({ name: "Conta", ...values }, this.as);
    return bankAccount?.id ?? "";
  }

  /** A bank account that gets each movement of the sandbox. */
  async sandboxBank(): Promise<string> {
    return await this.bankAccount({ providerAccountId: "sandbox", path: BankPath.LINE });
  }

  /** Pays a new link by PIX through the sandbox. */
  async pay(amount = 10_000): Promise<string> {
    const payer = new Payer(this.service, await this.merchant.newLink({ amount }));
    return await payer.payByPix();
  }

  /** Does what the worker does. */
  async work(): Promise<void> {
    await this.client.readStatementsNow({}, this.as);
    await this.service.core.tasks.readStatements();
    await this.#isRead();
    await this.service.core.tasks.reconcile();
  }

  /** A round leaves a reading that takes long to itself. */
  async #isRead(): Promise<void> {
    const rows = await new DatabaseRows(this.service.databaseUrl).open();
    const due = `test.statement_reading WHERE tenant_id = $1 AND due_at < $2::timestamptz + interval '50 minutes'`;
    const values = [this.merchant.tenant.id, new Date(this.service.clock.nowMs())];
    try {
      while ((await rows.count(due, values)) > 0) await delay(50);
    } finally {
      await rows.close();
    }
  }

  async import(bankAccountId: string, content: string | Uint8Array, fileName = "extrato.ofx") {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    return await this.client.importBankFile({ bankAccountId, fileName, content: bytes }, this.as);
  }

  async bankLines(bankAccountId: string) {
    const { lines } = await this.client.listBankLines({ bankAccountId }, this.as);
    return lines.toReversed();
  }

  async statementLines() {
    const { lines } = await this.client.listStatementLines({ accountId: "sandbox" }, this.as);
    return lines.toReversed();
  }

  async day(day: string): Promise<AccountDay> {
    const { accounts } = await this.client.getReconciledDay({ day }, this.as);
    if (!accounts[0]) throw new Error(`nothing on ${day}`);
    return accounts[0];
  }

  /** What a day is, and what differs: its kind, amount and the sides of its lines. */
  async report(day: string) {
    const { state, differences } = await this.day(day);
    return {
      state: states.wordOf(state),
      differences: differences.map(
        ({ leg, kind, amount, lines }) =>
          `${legs.wordOf(leg)} ${differenceKinds.wordOf(kind)} ${amount} of ${lines.length}`,
      ),
    };
  }

  async rules() {
    const { matches } = await this.client.listMatches({ limit: 100 }, this.as);
    return matches.map(({ rule, lines }) => `${rules.wordOf(rule)} ${lines.length}`).toSorted();
  }
}

/** Returns a bank's OFX file of these movements. */
export function ofx(rows: readonly BankRow[]): string {
  const lines = rows.map(
    ([day, amount, text, bankId]) =>
      `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${day.replaceAll("-", "")}<TRNAMT>${(Number(amount) / 100).toFixed(2)}<FITID>${bankId}<MEMO>${text}</STMTTRN>`,
  );
  return `OFXHEADER:100\nDATA:OFXSGML\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST>\n${lines.join("\n")}\n</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`;
}
