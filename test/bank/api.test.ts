import { afterAll, describe, expect, test } from "vitest";
import { SCOPES } from "../../tools/bank/state.ts";
import {
  accountAt,
  chargeRequest,
  CLIENT,
  connected,
  KEY,
  newReference,
  NOW,
  testBank,
} from "../api-pix/connected.ts";

const OTHER = { id: "Client_Id_2", secret: "other", keys: ["+5511999998888"] };
const RIGHT = { calendario: { expiracao: 60 }, valor: { original: "1.00" }, chave: KEY };

const made = await testBank({ clients: [CLIENT, OTHER] });
afterAll(async () => await made.bank.stop());
const { client } = connected(made, accountAt(made));

/** Calls the bank as the adapter does, and returns the status with the error's name or the body. */
async function called(method: "GET" | "PUT" | "PATCH", path: string, body?: object, from = client) {
  const resource = path.startsWith("/cob") ? "cob" : path.startsWith("/pix") ? "pix" : "webhook";
  const answer = await from.send({ method, resource, path, ...(body ? { body } : {}) });
  const fields = (answer.text === "" ? {} : JSON.parse(answer.text)) as Record<string, unknown>;
  return { status: answer.status, name: fields["title"], fields };
}

describe("a charge at the bank", () => {
  test.each<[string, object]>([
    ["no amount", { ...RIGHT, valor: {} }],
    ["an amount as a number", { ...RIGHT, valor: { original: 1 } }],
    ["an amount of one decimal", { ...RIGHT, valor: { original: "1.0" } }],
    ["an amount of nothing", { ...RIGHT, valor: { original: "0.00" } }],
    ["an amount with a sign", { ...RIGHT, valor: { original: "-1.00" } }],
    ["no key", { ...RIGHT, chave: undefined }],
    ["somebody else's key", { ...RIGHT, chave: OTHER.keys[0] }],
    ["no calendar", { ...RIGHT, calendario: undefined }],
    ["an end in the past", { ...RIGHT, calendario: { expiracao: 0 } }],
    ["an end as text", { ...RIGHT, calendario: { expiracao: "60" } }],
    ["a text too long", { ...RIGHT, solicitacaoPagador: "x".repeat(141) }],
    ["both CPF and CNPJ", { ...RIGHT, devedor: { cpf: "1".repeat(11), cnpj: "1".repeat(14), nome: "A" } }],
    [
      "too much information",
      { ...RIGHT, infoAdicionais: Array.from({ length: 51 }, () => ({ nome: "a", valor: "b" })) },
    ],
  ])("with %s is refused", async (_, body) => {
    const refused = { status: 400, name: "CobOperacaoInvalida" };
    expect(await called("PUT", `/cob/${newReference()}`, body)).toMatchObject(refused);
  });

  test.each(["short", "x".repeat(36), "pay_0000000000000000000000000001"])(
    "with the txid %s is refused",
    async (txid) => {
      expect((await called("PUT", `/cob/${txid}`, RIGHT)).status).toBe(400);
    },
  );

  test("keeps its revisions", async () => {
    const path = `/cob/${newReference()}`;
    await called("PUT", path, RIGHT);
    await called("PATCH", path, { valor: { original: "2.00" } });
    await called("PUT", path, { ...RIGHT, valor: { original: "3.00" } });
    const amounts = await Promise.all(
      [0, 1, 2].map(async (number) => (await called("GET", `${path}?revisao=${number}`)).fields["valor"]),
    );
    expect(amounts).toEqual([{ original: "1.00" }, { original: "2.00" }, { original: "3.00" }]);
    expect(await called("GET", path)).toMatchObject({ fields: { revisao: 2, valor: { original: "3.00" } } });
    expect(await called("GET", `${path}?revisao=3`)).toMatchObject({ name: "CobConsultaInvalida" });
  });

  test("is removed alone, and changed no more", async () => {
    const path = `/cob/${newReference()}`;
    await called("PUT", path, RIGHT);
    const status = "REMOVIDA_PELO_USUARIO_RECEBEDOR";
    expect((await called("PATCH", path, { status, valor: { original: "2.00" } })).status).toBe(400);
    expect((await called("PATCH", path, { status: "CONCLUIDA" })).status).toBe(400);
    expect(await called("PATCH", path, { status })).toMatchObject({
      status: 200,
      fields: { status, revisao: 1 },
    });
    expect((await called("PATCH", path, { status })).status).toBe(400);
    expect((await called("PUT", path, RIGHT)).status).toBe(400);
  });

  test("is of one client alone", async () => {
    const { client: other } = connected(made, {
      ...accountAt(made),
      clientId: OTHER.id,
      clientSecret: OTHER.secret,
    });
    const reference = newReference();
    await called("PUT", `/cob/${reference}`, RIGHT);
    const { endToEndId } = made.bank.pay(reference, 100n);
    const absent = { status: 404, name: "CobNaoEncontrado" };
    expect(await called("GET", `/cob/${reference}`, undefined, other)).toMatchObject(absent);
    expect((await called("GET", `/pix/${endToEndId}`, undefined, other)).name).toBe("PixNaoEncontrado");
    expect((await called("GET", `/pix/${endToEndId}`)).fields).toMatchObject({ valor: "1.00", chave: KEY });
  });
});

describe("a statement at the bank", () => {
  const period = `inicio=${NOW.toISOString()}&fim=${new Date(NOW.getTime() + 1000).toISOString()}`;
  test.each([
    "inicio=2026-01-01T00:00:00Z",
    "inicio=2026-01-01T00:00:00&fim=2026-01-02T00:00:00Z",
    "inicio=2026-01-02T00:00:00Z&fim=2026-01-01T00:00:00Z",
    `${period}&paginacao.itensPorPagina=1001`,
    `${period}&paginacao.paginaAtual=-1`,
    `${period}&txIdPresente=sim`,
    `${period}&cpf=1&cnpj=2`,
  ])("is refused for %s", async (query) => {
    expect(await called("GET", `/pix?${query}`)).toMatchObject({ status: 400, name: "PixConsultaInvalida" });
  });

  test("is filtered by the txid and by whether there is one", async () => {
    const from = new Date(NOW.getTime() + 86_400_000);
    const txid = newReference();
    made.bank.payKey(1n, { at: from });
    made.bank.payKey(2n, { at: from, txid });
    const day = `inicio=${from.toISOString()}&fim=${from.toISOString()}`;
    const found = async (query: string) =>
      ((await called("GET", `/pix?${day}${query}`)).fields["pix"] as { valor: string }[]).map(
        ({ valor }) => valor,
      );
    expect(await found("&txIdPresente=true")).toEqual(["0.02"]);
    expect(await found("&txIdPresente=false")).toEqual(["0.01"]);
    expect(await found(`&txid=${txid}`)).toEqual(["0.02"]);
    expect(await found("&devolucaoPresente=true")).toEqual([]);
  });
});

describe("a token at the bank", () => {
  test("allows what its scopes name", async () => {
    made.bank.grant(["cob.write"]);
    const { client: narrow, provider } = connected(made, accountAt(made));
    const request = chargeRequest();
    await provider.createCharge(request);
    const denied = { status: 403, name: "AcessoNegado" };
    expect(await called("GET", `/cob/${request.reference}`, undefined, narrow)).toMatchObject(denied);
    expect(await called("GET", `/webhook/${KEY}`, undefined, narrow)).toMatchObject(denied);
    made.bank.grant(SCOPES);
  });
});
