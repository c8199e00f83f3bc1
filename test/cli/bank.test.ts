import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";

// As the bank of a user wrote it: tags with and without an end, UTF-8 under the name of another character set.
const SAMPLE = `OFXHEADER:100
CHARSET:1252

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><BANKTRANLIST>
<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20261103000000[-3:BRT]</DTPOSTED><TRNAMT>10.50<FITID>X1<MEMO>PIX LOJA & CIA</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`;
const CSV = `Data;Histórico;Documento;Valor
03/11/2026;PIX LOJA & CIA;X1;10,50
04/11/2026;TARIFA;;-1.234,56
`;
const MAPPING = {
  separator: ";",
  decimal: ",",
  dateFormat: "DD/MM/YYYY",
  columns: { day: "Data", amount: "Valor", text: ["Histórico"], bankId: "Documento" },
};

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const folder = await makeDataFolder();
await forFile(Promise.resolve({ close: folder.remove }));

async function paylink(...args: string[]) {
  return await paylinkBy(CORE_TOKEN, ...args);
}

async function paylinkBy(token: string, ...args: string[]) {
  const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN: token };
  const { code, stdout, stderr } = await runCommand([...args, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

async function newAccount(...more: string[]): Promise<{ id: string; own: string[] }> {
  const { tenant } = await createMerchant(service);
  const own = ["--tenant", tenant.id, "--mode", "test"];
  const made = await paylink("bank", "accounts", "create", ...own, "--name", "Itaú", ...more);
  expect(made).toEqual({ code: 0, stderr: "", json: { id: expect.stringMatching(/^bac_/) } });
  return { id: made.json.id, own };
}

test("paylink bank import stores a file's lines once, and bank lines shows them", async () => {
  const { id, own } = await newAccount();
  const file = await fileOf("extrato.ofx", SAMPLE);
  const imported = { code: 0, stderr: "", json: { imported: 1, known: 0, rejected: [] } };
  expect(await paylink("bank", "import", file, "--account", id)).toEqual(imported);
  const line = {
    date: "2026-11-03",
    amount: 1050,
    currency: "BRL",
    text: "PIX LOJA & CIA",
    bank_id: "X1",
    match: null,
  };
  expect((await paylink("bank", "lines", "--account", id)).json).toEqual([line]);
  const again = { code: 0, json: { imported: 0, known: 1, rejected: [] } };
  expect(await paylink("bank", "import", file, "--account", id, ...own)).toMatchObject(again);
  // Another file with the same line, and one more end of a line.
  const other = await fileOf("outro.ofx", `${SAMPLE}\n`);
  expect(await paylink("bank", "import", other, "--account", id)).toMatchObject(again);
  expect((await paylink("bank", "lines", "--account", id)).json).toEqual([line]);
  expect((await paylink("bank", "lines", "--account", id, "--from", "2026-11-04")).json).toEqual([]);
  expect((await paylink("bank", "lines", "--account", id, "--to", "2026-11-03")).json).toEqual([line]);
});

test("paylink bank import of a file with a bad line names it, exits 1 and stores nothing", async () => {
  const { id } = await newAccount();
  const bad = SAMPLE.replace(
    "</BANKTRANLIST>",
    "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261104<TRNAMT>ten<FITID>X2<MEMO>PIX</STMTTRN>\n</BANKTRANLIST>",
  );
  const refused = await paylink("bank", "import", await fileOf("bad.ofx", bad), "--account", id);
  expect(refused).toMatchObject({
    code: 1,
    json: { imported: 0, known: 0, rejected: [{ line: 6, reason: expect.stringContaining("ten") }] },
  });
  expect(refused.stderr).toContain("nothing is imported: 1 line of");
  expect((await paylink("bank", "lines", "--account", id)).json).toEqual([]);
});

test("paylink bank accounts create reads a mapping, by which a CSV is imported", async () => {
  const mapping = await fileOf("mapping.json", JSON.stringify(MAPPING));
  const { id, own } = await newAccount(
    "--mapping",
    mapping,
    "--provider-account",
    "sandbox",
    "--path",
    "line",
  );
  const csv = await fileOf("extrato.csv", CSV);
  expect((await paylink("bank", "import", csv, "--account", id)).json).toEqual({
    imported: 2,
    known: 0,
    rejected: [],
  });
  const { json } = await paylink("bank", "lines", "--account", id);
  expect(json.map((line: { amount: number }) => line.amount)).toEqual([-123_456, 1050]);
  // The same movement in another form of file is the same line.
  const ofx = await fileOf("extrato.ofx", SAMPLE);
  expect((await paylink("bank", "import", ofx, "--account", id)).json).toMatchObject({ known: 1 });
  expect((await paylink("bank", "accounts", "list", ...own)).json).toEqual([
    {
      id,
      name: "Itaú",
      provider_account: "sandbox",
      path: "line",
      mapping: "yes",
      imported_until: "2026-11-04",
      created_at: expect.any(String),
    },
  ]);
});

test("paylink bank commands say which account or field is wrong", async () => {
  const { own } = await newAccount();
  const unknown = await paylink("bank", "lines", "--account", "bac_unknown");
  expect(unknown).toMatchObject({ code: 1, json: undefined });
  expect(unknown.stderr).toContain("There is no bank account bac_unknown");
  const mapping = await fileOf("wrong.json", JSON.stringify({ ...MAPPING, decimal: "x" }));
  const refused = await paylink("bank", "accounts", "create", ...own, "--name", "A", "--mapping", mapping);
  expect(refused).toMatchObject({ code: 1, json: undefined });
  expect(refused.stderr).toContain("decimal");
});

test("paylink bank lines finds an account's tenant for the operator; another token names it", async () => {
  const { id, own } = await newAccount();
  await newAccount();
  const [, tenantId = ""] = own;
  const { token } = await createClient(IdentityService, service.core.transport).createCoreToken(
    { name: "finance", permissions: ["reconciliation:read"], tenantId },
    service.internal,
  );
  const lines = ["bank", "lines", "--account", id];
  expect(await paylink(...lines)).toEqual({ code: 0, stderr: "", json: [] });
  expect(await paylinkBy(token, ...lines, ...own)).toEqual({ code: 0, stderr: "", json: [] });
  expect(await paylinkBy(token, ...lines, "--tenant", tenantId)).toMatchObject({ code: 0, json: [] });
  const refused = await paylinkBy(token, ...lines);
  expect(refused).toMatchObject({ code: 1, json: undefined });
  expect(refused.stderr).toContain("may not admin on identity");
});

test("paylink bank fees put replaces the contracted fees, and list gives what put takes", async () => {
  const { own } = await newAccount();
  const of = ["--account", "sandbox", ...own];
  const fees = [
    {
      kind: "card",
      brand: "visa",
      installments_from: 2,
      installments_to: 6,
      percent_ppm: 34_900,
      fixed: 39,
    },
    { kind: "pix", brand: null, installments_from: 1, installments_to: 1, percent_ppm: 9900, fixed: 0 },
  ];
  const file = await fileOf("fees.json", JSON.stringify(fees));
  const byKind = expect.arrayContaining(fees);
  expect((await paylink("bank", "fees", "put", file, ...of)).json).toEqual(byKind);
  expect((await paylink("bank", "fees", "list", ...of)).json).toEqual(byKind);
  const none = await fileOf("none.json", "[]");
  expect((await paylink("bank", "fees", "put", none, ...of)).json).toEqual([]);
  const wrong = await fileOf("wrong-fees.json", JSON.stringify([{ kind: "pix", percent: 1 }]));
  expect((await paylink("bank", "fees", "put", wrong, ...of)).stderr).toContain("fee 1 has no field percent");
});
