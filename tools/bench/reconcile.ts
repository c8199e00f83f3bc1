/** Measures what a month of 100,000 lines costs to reconcile: ours, the statement's and the bank's, a third each. */
import { parseArgs } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { dayAt } from "../../contract/day.ts";
import { HEADERS } from "../../contract/headers.ts";
import { CheckoutService, SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { BankPath, ReconciliationService } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { memoryMegabytes } from "./proc.ts";
import { headersOf } from "./server.ts";
import { CORE_TOKEN, query, Stage, type CoreServer } from "./stage.ts";
import { LINK } from "./workloads.ts";

const HELP = `npm run bench:reconcile -- [--lines N]

  --lines N  100000, of which a third are payments of 30 days
`;
const DAYS = 30;
const SIDES = 3;
const SAMPLE_MS = 200;
const GOAL_SECONDS = 60;

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "100000" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else await main(Math.ceil(Number(values.lines) / SIDES));

async function main(payments: number): Promise<void> {
  const stage = await Stage.open();
  try {
    const prepared = await stage.prepare("reconcile", 0);
    const server = await stage.serve("ours", prepared);
    const tenantId = await firstPayment(server, prepared.url);
    const file = await fillMonth(prepared.url, payments);
    const client = createClient(ReconciliationService, transportOf(server));
    const as = { headers: headersFor(tenantId) };
    const before = await memoryMegabytes(server.pid);
    const memory = sampled(server.pid);

    const account = { name: "bench", providerAccountId: "sandbox", path: BankPath.LINE };
    const { bankAccount } = await client.createBankAccount(account, as);
    const read = await timed(async () => await isRead(prepared.url));
    const importing = { bankAccountId: bankAccount?.id ?? "", fileName: "month.ofx", content: file };
    const imported = await timed(async () => await client.importBankFile(importing, as));
    const matched = await timed(async () => await isMatched(prepared.url, payments));
    const most = await memory.most();

    const total = read + imported + matched;
    const lines = payments * SIDES;
    console.log(
      `statement read ${secondsText(read)}, file imported ${secondsText(imported)}, then matched ${secondsText(matched)}`,
    );
    console.log(
      `${lines} lines in ${secondsText(total)}: ${Math.round(lines / total)} a second; the goal is ${GOAL_SECONDS} s`,
    );
    console.log(`memory of the process ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`);
    await report(client, as, payments);
  } finally {
    await stage.close();
  }
}

async function report(
  client: Client<typeof ReconciliationService>,
  as: object,
  payments: number,
): Promise<void> {
  const to = dayAt(Date.now());
  const period = { from: to.subtract({ days: DAYS }).toString(), to: to.subtract({ days: 1 }).toString() };
  const { days } = await client.listReconciledDays(period, as);
  const differences = days.reduce((sum, { differenceCount }) => sum + differenceCount, 0);
  console.log(`${payments} payments on ${days.length} days, ${differences} differences`);
}

/** Pays one link by PIX through the sandbox, and returns its tenant. */
async function firstPayment(server: CoreServer, url: string): Promise<string> {
  const response = await fetch(`${server.address}/v1/payment_links`, {
    method: "POST",
    headers: { ...headersOf(server.key), "idempotency-key": "bench-reconcile" },
    body: JSON.stringify(LINK),
  });
  const { id: linkId } = (await response.json()) as { id: string };
  const checkout = createClient(CheckoutService, transportOf(server));
  const as = { headers: { authorization: `Bearer ${CORE_TOKEN}` } };
  const { sessionId } = await checkout.openSession({ linkId }, as);
  await checkout.startPayment({ linkId, sessionId, paymentMethod: PaymentMethod.PIX }, as);
  await checkout.simulateProvider({ linkId, sessionId, action: SandboxAction.APPROVE }, as);
  const [row] = await query<{ id: string }>(url, "SELECT tenant_id AS id FROM test.payment LIMIT 1");
  return row?.id ?? "";
}

/** Copies the payment over the days before today. Returns the bank's file of the same month. */
async function fillMonth(url: string, payments: number): Promise<Uint8Array> {
  const time = `date_trunc('day', now()) - interval '1 day' * (1 + n % ${DAYS}) + interval '15 hours'`;
  const copy = (table: string, fields: string): string => `INSERT INTO test.${table}
    SELECT (jsonb_populate_record(one, jsonb_build_object(${fields}))).*
    FROM test.${table} AS one, generate_series(1, ${payments}) AS n`;
  const id = "'pay_' || lpad(n::text, 26, '0')";
  const reference = "'bench' || lpad(n::text, 26, '0')";
  await query(
    url,
    copy("payment", `'id', ${id}, 'is_single', false, 'created_at', ${time}, 'updated_at', ${time}`),
  );
  await query(
    url,
    copy(
      "charge",
      `'payment_id', ${id}, 'number', n + 1, 'reference', ${reference}, 'paid_at', ${time}, 'created_at', ${time},
        'provider_payment_id', 'bench-money-' || n`,
    ),
  );
  await query(
    url,
    copy("sandbox_charge", `'reference', ${reference}, 'paid_at', ${time}, 'created_at', ${time}`),
  );
  const rows = await query<{ day: string; reference: string; amount: string }>(
    url,
    `SELECT to_char(paid_at AT TIME ZONE 'America/Sao_Paulo', 'YYYYMMDD') AS day, reference, amount_minor::text AS amount
      FROM test.sandbox_charge WHERE reference LIKE 'bench%' ORDER BY paid_at`,
  );
  const lines = rows.map(
    ({ day, reference: named, amount }, index) =>
      `<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>${day}<TRNAMT>${(Number(amount) / 100).toFixed(2)}<FITID>${index}<MEMO>PIX ${named}</STMTTRN>`,
  );
  return Buffer.from(`OFXHEADER:100\n\n<OFX><BANKTRANLIST>\n${lines.join("\n")}\n</BANKTRANLIST></OFX>\n`);
}

/** After a reading the next one is due in an hour; while it runs, sooner. */
async function isRead(url: string): Promise<void> {
  await until(
    url,
    "SELECT count(*)::int AS count FROM test.statement_reading WHERE due_at < now() + interval '50 minutes'",
  );
}

async function isMatched(url: string, payments: number): Promise<void> {
  await until(
    url,
    `SELECT count(*)::int AS count FROM test.reconciliation_run WHERE due_at < now() + interval '1 second' OR token IS NOT NULL
    OR (SELECT count(*) FROM test.bank_line WHERE match_id IS NOT NULL) < ${payments - 1}`,
  );
}

/** Waits until a count is 0. */
async function until(url: string, text: string): Promise<void> {
  for (;;) {
    const [row] = await query<{ count: number }>(url, text);
    if (row?.count === 0) return;
    await delay(SAMPLE_MS);
  }
}

function transportOf({ corePort }: CoreServer) {
  return createGrpcTransport({ baseUrl: `http://127.0.0.1:${corePort}` });
}

function headersFor(tenantId: string): Record<string, string> {
  return { authorization: `Bearer ${CORE_TOKEN}`, [HEADERS.tenant]: tenantId, [HEADERS.mode]: "test" };
}

/** Watches a process's memory. */
function sampled(pid: number) {
  const found: Promise<number>[] = [];
  const timer = setInterval(() => found.push(memoryMegabytes(pid)), SAMPLE_MS);
  return {
    most: async (): Promise<number> => {
      clearInterval(timer);
      return Math.max(...(await Promise.all(found)));
    },
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await act();
  return (performance.now() - startMs) / 1000;
}

function secondsText(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}
