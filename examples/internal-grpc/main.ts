/** An internal team reads a tenant's books over gRPC: payments page by page, an error, a trial balance. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Metadata, type ServiceError } from "@grpc/grpc-js";
import { ledgerClient, type LedgerMethod } from "./client.ts";
import { errorInfo, failureText } from "./failure.ts";

interface Payment {
  readonly id: string;
  readonly status: string;
  readonly gross_amount: string;
  readonly gross_currency: string;
}
interface Page {
  readonly data: readonly Payment[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}
interface Balances {
  readonly balances: readonly { account: string; currency: string; debit: string; credit: string }[];
}

const DEADLINE_MS = 5000;
const PAGE = 100;

const client = ledgerClient(coreUrl());
const metadata = new Metadata();
try {
  metadata.set("authorization", `Bearer ${coreToken()}`);
  metadata.set("paylink-tenant", needed("TENANT"));
  metadata.set("paylink-mode", "test");
  // A call that creates something also sets "idempotency-key": what was done once is answered again, not redone.
  await readBooks();
} catch (error) {
  console.error(`internal: ${isServiceError(error) ? failureText(error) : messageOf(error)}`);
  process.exitCode = 1;
} finally {
  client.close();
}

async function readBooks(): Promise<void> {
  const sums = new Map<string, bigint>();
  let count = 0;
  let after: string | undefined;
  do {
    const request = { from: "2020-01-01", to: "2099-12-31", limit: PAGE, starting_after: after };
    const page = await call<Page>("listPayments", request);
    for (const { status, gross_amount: gross, gross_currency: currency } of page.data) {
      count += 1;
      // 64-bit integers come as text: only bigint holds them all.
      if (status === "PAYMENT_STATUS_SUCCEEDED")
        sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(gross));
    }
    after = page.has_more ? page.next_cursor : undefined;
  } while (after !== undefined);
  console.log(`payments  ${count}`);
  for (const [currency, sum] of sums) console.log(`          ${sum} ${currency} succeeded`);

  // An unknown payment: the refusal has its reason as a code that a program can rely on.
  try {
    await call<object>("getPayment", { id: "pay_00000000000000000000000000" });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    console.log(`unknown   ${errorInfo(error)?.reason}`);
  }

  const { balances } = await call<Balances>("getTrialBalance", {});
  for (const { account, currency, debit, credit } of balances) {
    console.log(`balance   ${account} ${currency}: debit ${debit}, credit ${credit}`);
  }
  for (const [currency, lines] of Map.groupBy(balances, (line) => line.currency)) {
    const difference = lines.reduce((sum, { debit, credit }) => sum + BigInt(debit) - BigInt(credit), 0n);
    if (difference !== 0n) throw new Error(`the books do not balance: ${difference} ${currency}`);
  }
  console.log("          debits equal credits");
}

/** One call, given up after five seconds. */
async function call<Answer>(method: LedgerMethod, request: object): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    client[method](request, metadata, { deadline: Date.now() + DEADLINE_MS }, (error, answer) => {
      if (error) reject(error);
      else resolve(answer as Answer);
    });
  });
}

function coreUrl(): string {
  const [url, address] = [process.env["CORE_URL"], process.env["CORE_ADDRESS"]];
  if (url) return url;
  if (!address) return "http://localhost:50051";
  console.error(
    `internal: CORE_ADDRESS is the former name of CORE_URL: set CORE_URL=http://${address} in its place.`,
  );
  return `http://${address}`;
}

function coreToken(): string {
  const file = join(process.env["DATA_DIR"] || ".data", "core-token");
  return process.env["CORE_TOKEN"] || readFileSync(file, "utf8").trim();
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set; see examples/README.md.`);
  return value;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "details" in error && "metadata" in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
