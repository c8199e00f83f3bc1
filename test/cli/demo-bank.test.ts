import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer, connect } from "node:tls";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dayAt } from "../../contract/day.ts";
import { newAuthority } from "../../tools/bank/certificates.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { startCommand, type Part } from "../support/part.ts";
import { runCommand, startProcess, type ServiceProcess } from "../support/process.ts";

const DEMO = "the bank here is not a real one";
const WAIT = { timeout: 30_000 };
const PAGE = { accept: "text/html", "accept-language": "en" };

let service: ServiceProcess;
let folder: string;
let remove: () => Promise<void>;
const banks: Part[] = [];
beforeAll(async () => {
  ({ path: folder, remove } = await makeDataFolder());
  service = await startProcess(folder, { PROVIDER_ALLOW_LOOPBACK: "true" });
});
afterAll(async () => {
  await Promise.all(banks.map(async (bank) => await bank.end("SIGKILL")));
  await service.end("SIGTERM");
  await remove();
});

const printed = async (...args: string[]) => (await runCommand(args, service.env)).stdout.trim();

/** Starts the demo's bank, and waits until it says where codes are paid. */
async function startBank(): Promise<{ bank: Part; account: string; payUrl: string }> {
  const bank = startCommand(["demo", "bank", "--port", "0", "--json"], service.env);
  banks.push(bank);
  await expect.poll(bank.output, WAIT).toContain('"pay"');
  const { account, pay } = JSON.parse(bank.output()) as { account: string; pay: string };
  return { bank, account, payUrl: pay };
}

/** The live mode of the demo's tenant by REST. */
async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = {
    authorization: `Bearer ${await printed("demo", "key", "--mode", "live")}`,
    "content-type": "application/json",
    "idempotency-key": `${path} ${JSON.stringify(body)}`.slice(0, 200),
  };
  const init = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(`${service.baseUrl}/v1/${path}`, { method, headers, ...init });
  return (await response.json()) as Record<string, unknown>;
}

/** Opens a link as a payer does, and chooses PIX. Returns the page's address and its text. */
async function payByPix(link: string): Promise<{ address: string; text: string }> {
  const form = async (path: string, fields: Record<string, string>) =>
    await fetch(service.baseUrl + path, {
      method: "POST",
      headers: { ...PAGE, "content-type": "application/x-www-form-urlencoded", origin: service.baseUrl },
      body: new URLSearchParams(fields).toString(),
      redirect: "manual",
    });
  const opened = await form(`/pay/${link}/sessions`, {});
  const session = new URL(opened.headers.get("location") ?? "", service.baseUrl).pathname;
  await form(`${session}/payments`, { way: "pix-1" });
  return { address: service.baseUrl + session, text: await read(service.baseUrl + session) };
}

const read = async (address: string) => await (await fetch(address, { headers: PAGE })).text();

describe("paylink demo bank", () => {
  test("a live link is paid at it, and refunded, and its pages say that it is a demo", async () => {
    const { bank, account, payUrl } = await startBank();
    expect(account).toMatch(/^pac_/);
    const { id: link } = await api("POST", "payment_links", {
      amount: 15_990,
      currency: "BRL",
      reference: "demo-1",
    });
    const landing = await read(`${service.baseUrl}/pay/${String(link)}`);
    expect(landing).toContain(DEMO);
    const { address, text } = await payByPix(String(link));
    expect(text).toContain(DEMO);
    const [code = ""] = /000201\d+br\.gov\.bcb\.pix[^"<]+/.exec(text) ?? [];
    const pay = async () => await fetch(payUrl, { method: "POST", body: new URLSearchParams({ code }) });
    expect(await (await pay()).text()).toMatch(/^Paid \/ Pago: R\$ \d+\.\d\d, E\w{31}\n$/);
    expect((await pay()).status).toBe(409);
    const day = dayAt(Date.now()).toString();
    const payments = async () =>
      (await api("GET", `payments?from=${day}&to=${day}`))["data"] as { status: string; id: string }[];
    await expect.poll(async () => (await payments())[0]?.status, WAIT).toBe("succeeded");
    // The bank told of it: what it appends to the address is in the query.
    await expect
      .poll(() => service.output(), WAIT)
      .toMatch(/"route":"\/providers\/:secret","verb":"POST","status":200/);
    expect(await read(address)).toContain(DEMO);
    const id = (await payments())[0]?.id ?? "";
    await api("POST", `payments/${id}/refunds`, { reason: "demo" });
    const refund = async () =>
      ((await api("GET", `payments/${id}/refunds`))["data"] as { status: string }[])[0]?.status;
    await expect.poll(refund, WAIT).toBe("succeeded");
    expect(await bank.end("SIGINT")).toBe(0);
  });

  test("started again, takes the place of the former one at the same account", async () => {
    const [tenant, { bank, account, payUrl }] = [await printed("demo", "tenant"), await startBank()];
    const list = await printed("providers", "list", "--tenant", tenant, "--json");
    expect(JSON.parse(list)).toMatchObject([{ id: account, state: "active", label: "Demo bank" }]);
    const page = await fetch(payUrl, { headers: PAGE });
    expect(await page.text()).toContain("No real money moves here.");
    const unknown = await fetch(payUrl, { method: "POST", body: new URLSearchParams({ code: "0002" }) });
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    const { port } = new URL(payUrl);
    const second = await runCommand(["demo", "bank", "--port", port], service.env);
    expect([second.code, second.stderr]).toEqual([
      1,
      `paylink: Port ${port} is taken: name another by --port.\n`,
    ]);
    await bank.end("SIGTERM");
  });

  test("keeps its account beside one for cards on this machine, and is refused beside a real provider or other PIX", async () => {
    const tenant = await printed("demo", "tenant");
    const file = join(folder, "asaas.json");
    const put = async (kind: string, baseUrl?: string): Promise<string> => {
      const config = { api_key: "$aact_prod_000test", callback_token: "c".repeat(32), base_url: baseUrl };
      await writeFile(file, JSON.stringify(config));
      const asked = [
        "--tenant",
        tenant,
        "--mode",
        "live",
        "--kind",
        kind,
        "--profile",
        "asaas",
        "--config",
        file,
        "--json",
      ];
      const { stdout, stderr } = await runCommand(["providers", "put", ...asked], service.env);
      expect(stderr).toBe("");
      return (JSON.parse(stdout) as { id: string }).id;
    };
    const refused = async () => (await runCommand(["demo", "bank", "--port", "0"], service.env)).stderr;
    const { bank, account } = await startBank();
    await bank.end("SIGTERM");
    const cards = await put("card", "http://127.0.0.1:18999");
    const again = await startBank();
    expect(again.account).toBe(account);
    await again.bank.end("SIGTERM");
    await printed("providers", "retire", cards);
    const real = await put("card");
    expect(await refused()).toContain(`${real} at a real provider`);
    for (const id of [real, account]) await printed("providers", "retire", id);
    const pix = await put("pix", "http://127.0.0.1:18999");
    expect(await refused()).toContain(`${pix} of the profile asaas`);
  });

  test("is refused by a service that does not allow it", async () => {
    const { path, remove: removeOther } = await makeDataFolder();
    const other = await startProcess(path);
    const refused = await runCommand(["demo", "bank", "--port", "0"], other.env);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("PROVIDER_ALLOW_LOOPBACK=true npm start");
    await other.end("SIGTERM");
    await removeOther();
  });
});

describe("the demo bank's certificates", () => {
  test("are its authority's, of the names that they are issued for", () => {
    const authority = newAuthority("A bank");
    const [own, issued] = [new X509Certificate(authority.cert), authority.issue("A client")];
    const client = new X509Certificate(issued.cert);
    expect([own.ca, client.ca, client.subject, client.issuer]).toEqual([
      true,
      false,
      "CN=A client",
      "CN=A bank",
    ]);
    expect(client.verify(own.publicKey)).toBe(true);
    expect(client.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1");
    expect(Date.now() - client.validFromDate.getTime()).toBeGreaterThan(0);
    expect(client.validToDate.getTime() - Date.now()).toBeGreaterThan(360 * 86_400_000);
  });

  test("admit a client of the same authority alone", async () => {
    const [authority, other] = [newAuthority("A bank"), newAuthority("A bank")];
    const server = createServer({
      ...authority.issue("localhost"),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const admitted: boolean[] = [];
    for (const from of [authority, other]) {
      const accepted = once(server, "secureConnection") as Promise<[{ authorized: boolean }]>;
      const socket = connect({ port, host: "localhost", ca: authority.cert, ...from.issue("A client") });
      admitted.push((await accepted)[0].authorized);
      socket.destroy();
    }
    server.close();
    expect(admitted).toEqual([true, false]);
  });
});
