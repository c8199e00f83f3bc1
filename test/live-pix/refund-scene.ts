import { beforeEach, expect } from "vitest";
import type { Fault } from "../../tools/bank/faults.ts";
import type { Money } from "../../tools/bank/state.ts";
import { forFile } from "../support/for-file.ts";
import { Scene } from "./scene.ts";

/** The bank refuses a refund, and shows a second later that it was made. */
export const HIDDEN_BRIEFLY: Fault = { kind: "refused_yet_made", status: 409, hiddenSeconds: 1 };

/** Starts a bank and a merchant of this test file, for refunds of payments. */
export async function startRefunds() {
  let wrongAnswers = 0;
  const scene = await forFile(
    Scene.start({
      observer: {
        callEnded: () => undefined,
        attemptEnded: () => undefined,
        providerFailed: ({ kind }) => {
          if (kind === "wrong") wrongAnswers++;
        },
      },
    }),
  );
  const { bank, service } = scene.live;
  const merchant = await scene.merchant();
  beforeEach(() => {
    bank.faults.clear();
    bank.callbacks.mode = "prompt";
  });
  return {
    scene,
    bank,
    service,
    merchant,
    /** Runs, and returns what was reported as wrong answers meanwhile. Each of them is counted. */
    reportsOf: async (run: () => Promise<void>): Promise<unknown[]> => {
      service.faults.length = 0;
      scene.faults.length = 0;
      wrongAnswers = 0;
      await run();
      expect(scene.faults).toHaveLength(wrongAnswers);
      return scene.faults;
    },
    /** A payment of R$ 159.90 with its money at the bank. */
    paid: async (): Promise<{ id: string; money: Money; reference: string }> => {
      const { paymentId: id, reference } = await merchant.start();
      const money = bank.pay(reference, 15_990n);
      await scene.pass(60);
      return { id, money, reference };
    },
    refund: async (id: string, body: object = {}) =>
      await merchant.api.post(`/v1/payments/${id}/refunds`, body),
    refundsOf: async (id: string): Promise<string[]> => {
      const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
      return (body.data as { amount: number; status: string }[]).map(
        ({ amount, status }) => `${amount} ${status}`,
      );
    },
  };
}
