import { expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { forFile } from "../support/for-file.ts";
import {
  callBack,
  cardToken,
  connectPagarme,
  KEYS,
  OTHER_KEYS,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const cards = await forFile(
  startPagarmeService([
    { ...KEYS, rest: "first" },
    { ...OTHER_KEYS, rest: "last" },
  ]),
);
const { pagarme, service } = cards;
const sum = (minors: readonly bigint[]): bigint => minors.reduce((total, minor) => total + minor, 0n);
const shown = (minor: bigint): string =>
  new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" }).format(Number(minor) / 100);

test.each([
  ["first", KEYS, 18, 100_003],
  ["first", KEYS, 7, 99_999],
  ["last", OTHER_KEYS, 18, 100_003],
  ["last", OTHER_KEYS, 7, 99_999],
] as const)(
  "case 14: the %s installment carries the centavos at Pagar.me, and the page names none of them, but the greatest and the sum",
  async (place, keys, installments, amount) => {
    const merchant = await connectPagarme(cards, { ...keys, isWithoutAntifraud: true });
    const payer = await merchant.opened({ amount });
    const { options } = await payer.session();
    const option = options.find((one) => one.installments === installments);
    const { payerTotal = 0n, firstInstallment = 0n, otherInstallment = 0n } = option ?? {};
    expect(payerTotal % BigInt(installments)).not.toBe(0n);
    const url = `/pay/${(await payer.page()).linkId}/${payer.sessionId}`;
    for (const page of [url, `${url}?way=card-${installments}`]) {
      const { body } = await service.gateway.inject({ url: page });
      expect(body).toContain(`${installments}x até ${shown(firstInstallment)}`);
      expect(body).toContain(shown(payerTotal));
      expect(body).not.toMatch(/primeira de|1ª de/);
    }

    const token = await cardToken(pagarme, undefined, {}, keys.publicKey);
    const id = await merchant.paid(payer, installments, token);
    await callBack(cards, merchant, id);
    await service.core.tasks.readReceivables();
    const chargeId = pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id;
    const { payables } = pagarme.account(keys.secretKey);
    const credits = payables.filter(({ charge }) => charge.id === chargeId).map((one) => one.amountMinor);
    const { receivables } = await merchant.ledger.listReceivables({ paymentId: id }, merchant.as);
    expect(receivables.map(({ gross }) => gross)).toEqual(credits);
    expect(credits.filter((minor) => minor !== otherInstallment)).toEqual([
      credits.at(place === "first" ? 0 : -1),
    ]);
    expect(sum(credits)).toBe(payerTotal);
    expect(await merchant.read(id)).toMatchObject({ amount: Number(payerTotal), installments });
    expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);
  },
);
