import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import type { Bank } from "./bank.ts";
import { amountText, codeOf } from "./messages.ts";
import { termsOf, type Charge } from "./state.ts";

const CHARGES_SHOWN = 20;
const CODE_FIELD = "code";

/** Where people pay the bank's codes: a page on this machine, for browsers and for curl. */
export interface Counter {
  readonly url: string;
  close(): Promise<void>;
}

export async function openCounter(bank: Bank, port: number): Promise<Counter> {
  const server = createServer((request, response) => {
    void answer(bank, request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(bank: Bank, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isForm = request.method === "POST";
  const given = isForm ? new URLSearchParams(await textOf(request)).get(CODE_FIELD) : null;
  const [status, said] = given === null ? [200, ""] : paid(bank, given);
  const isPage = request.headers.accept?.includes("text/html") === true;
  response.writeHead(status, {
    "content-type": `text/${isPage ? "html" : "plain"}; charset=utf-8`,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
  });
  response.end(isPage ? page(bank, said) : `${said || "POST code=… pays a code."}\n`);
}

/** Pays the charge of a code. Returns the status and the text of the answer. */
function paid(bank: Bank, given: string): [status: number, said: string] {
  const charge = chargesOf(bank).find((one) => codeOf(one) === given.trim());
  if (!charge) return [404, "No charge of this bank has this code. / Nenhuma cobrança tem este código."];
  if (!isPayable(bank, charge)) {
    return [409, "This code cannot be paid any more. / Este código não pode mais ser pago."];
  }
  const { amountMinor } = termsOf(charge);
  const { endToEndId } = bank.pay(charge.txid, amountMinor);
  return [200, `Paid / Pago: R$ ${amountText(amountMinor)}, ${endToEndId}`];
}

function chargesOf(bank: Bank): Charge[] {
  return [...bank.account().charges.values()];
}

function isPayable(bank: Bank, charge: Charge): boolean {
  const endMs = charge.createdAt.getTime() + termsOf(charge).seconds * 1000;
  return charge.status === "ATIVA" && bank.clock.nowMs() < endMs;
}

function page(bank: Bank, said: string): string {
  const open = chargesOf(bank)
    .filter((charge) => isPayable(bank, charge))
    .slice(-CHARGES_SHOWN)
    .toReversed();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Demo bank</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  textarea { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  button { font: inherit; padding: 0.4rem 1rem; margin: 0.5rem 0; }
  li { overflow-wrap: anywhere; }
</style>
<main>
<h1>Demo bank / Banco de demonstração</h1>
<p>No real money moves here. / Aqui não há dinheiro de verdade.</p>
${said === "" ? "" : `<p role="status"><strong>${escaped(said)}</strong></p>`}
<form method="post">
<label for="code">PIX code / PIX copia e cola</label>
<textarea id="code" name="${CODE_FIELD}" rows="4" required></textarea>
<button>Pay / Pagar</button>
</form>
<h2>Waiting for their payers / À espera do pagador</h2>
<ul>${open.map(item).join("")}</ul>
</main>
</html>
`;
}

function item(charge: Charge): string {
  const amount = `R$ ${amountText(termsOf(charge).amountMinor)}`;
  return `<li><form method="post"><input type="hidden" name="${CODE_FIELD}" value="${escaped(codeOf(charge))}" />
${escaped(charge.txid)} <button>Pay / Pagar ${amount}</button></form></li>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
