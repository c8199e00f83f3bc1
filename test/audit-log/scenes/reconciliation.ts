import { Leg } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Scenes } from "./scenery.ts";

const FILE = Buffer.from(
  "OFXHEADER:100\n\n<OFX><STMTTRN><DTPOSTED>20261104<TRNAMT>1.00<FITID>1<MEMO>A</STMTTRN></OFX>\n",
);

export const reconciliationScenes: Scenes = {
  CreateBankAccount: async (as, { reconciliation }) => [
    (await reconciliation.createBankAccount({ name: "Conta" }, as)).bankAccount?.id,
  ],
  UpdateBankAccount: async (as, { newBankAccount, reconciliation }) => {
    const id = await newBankAccount();
    await reconciliation.updateBankAccount({ id, name: "Outra" }, as);
    return [id];
  },
  ImportBankFile: async (as, { newBankAccount, reconciliation }) => {
    const bankAccountId = await newBankAccount();
    await reconciliation.importBankFile({ bankAccountId, fileName: "a.ofx", content: FILE }, as);
    return [bankAccountId];
  },
  PutContractedFees: async (as, { reconciliation }) => {
    const fee = { kind: "pix", installmentsFrom: 1, installmentsTo: 1, percentPpm: 9900n };
    await reconciliation.putContractedFees({ accountId: "sandbox", fees: [fee] }, as);
    return ["sandbox"];
  },
  Decide: async (as, { newBankLine, reconciliation }) => {
    const asked = { leg: Leg.BANK, lineKeys: [await newBankLine()], reason: "interest" };
    return [(await reconciliation.decide(asked, as)).decision?.id];
  },
  UndoDecision: async (as, { newBankLine, reconciliation, merchant }) => {
    const asked = { leg: Leg.BANK, lineKeys: [await newBankLine()], reason: "interest" };
    const { decision } = await reconciliation.decide(asked, merchant.as);
    await reconciliation.undoDecision({ id: decision?.id ?? "" }, as);
    return [decision?.id];
  },
  ReadStatementsNow: async (as, { reconciliation }) => {
    await reconciliation.readStatementsNow({}, as);
    return [""];
  },
};
