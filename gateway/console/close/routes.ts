import { ExportKind } from "../../../gen/paylink/identity/v1/audit_log_pb.ts";
import { PaymentFilterSchema, type DaySeal } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { RefundSum } from "../../../gen/paylink/refunds/v1/refunds_pb.ts";
import { create } from "@bufbuild/protobuf";
import { actorText } from "../audit/actor.ts";
import { FORMATS, sendDownload, sendSealedWorkbook } from "../export/download.ts";
import { deltaLines, sealedLines } from "../export/lines.ts";
import { WORKBOOK_ROWS_MAX } from "../export/sheet.ts";
import { presentDay } from "../day.ts";
import { dayInPath } from "../day-in-path.ts";
import type { FastifyReply } from "fastify";
import type { Html } from "../../pages/html.ts";
import { codeOf, NO_PROBLEMS, type Problems } from "../problems.ts";
import { refundSumsByDay } from "../payments/refund-sums.ts";
import { receivableSumsCard } from "../payments/receivables.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { dayPage, type SealedDay } from "./day-page.ts";
import { deltaWord } from "./deltas.ts";
import { monthPage } from "./month-page.ts";
import { verificationPart, type Verification } from "./verification.ts";
import { messagesIn } from "./messages.ts";

const MONTH = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;
const REFUSED_STATUS = 422;
const DELTAS = 20;

/** Adds the pages of the daily close: days by month, their seals, and changes since. */
export function closeRoom(routes: ConsoleRoutes): void {
  routes.page("/close", "payments.read", month);
  routes.page("/close/:day", "payments.read", async (visit) => {
    const day = dayInPath(visit);
    const [sealed, refunds, receivables] = await Promise.all([
      sealedDay(visit, day),
      refundsOf(visit, day),
      receivableSumsCard(visit, day),
    ]);
    const filter = create(PaymentFilterSchema, { from: day, to: day });
    const summary = sealed?.seal ?? (await visit.core.ledger.summarizePayments({ filter }, visit.as));
    return await visit.show(dayPage(visit, day, summary, sealed, refunds, receivables));
  });
  routes.page("/close/:day/verification", "payments.read", async (visit) => {
    const day = dayInPath(visit);
    if (visit.isPartial) return await visit.show(verificationPart(visit, day, await verify(visit, day)));
    const [sealed, verification, refunds, receivables] = await Promise.all([
      sealedDay(visit, day),
      verify(visit, day),
      refundsOf(visit, day),
      receivableSumsCard(visit, day),
    ]);
    if (!sealed) throw new Refused("unknown", visit);
    const shown = { ...sealed, verification };
    return await visit.show(dayPage(visit, day, sealed.seal, shown, refunds, receivables));
  });
  routes.change("/close/:day/seal", "close.seal", {
    act: async (visit) => {
      const day = dayInPath(visit);
      await visit.core.ledger.sealDay({ day }, visit.as);
      return visit.goTo(`${visit.path(`/close/${day}`)}?done=sealed`);
    },
  });
  for (const format of FORMATS) {
    routes.page(`/close/:day/sealed.${format}`, "payments.export", async (visit) => {
      const seal = await sealOf(visit);
      return await sendDownload(visit, {
        ...fileOf(visit, seal),
        format,
        ...(format === "jsonl" ? { sha256: seal.rowsSha256 } : {}),
      });
    });
  }
  routes.page("/close/:day/sealed.xlsx", "payments.export", async (visit) => {
    const seal = await sealOf(visit);
    // The page has the files for so many rows.
    if (seal.paymentCount > WORKBOOK_ROWS_MAX) return visit.goTo(visit.path(`/close/${seal.day}`));
    return await sendSealedWorkbook(visit, fileOf(visit, seal));
  });
  routes.page("/close/:day/changes.jsonl", "payments.export", async (visit) => {
    const day = dayInPath(visit);
    const { deltaCount, isIntact } = await visit.core.ledger.verifySeal({ day }, visit.as);
    if (!isIntact) throw new Error(`the seal of ${day} is not intact: nothing can be compared with it`);
    return await sendDownload(visit, {
      name: `changes-${visit.mode}-${day}`,
      format: "jsonl",
      lines: deltaLines(visit, day, deltaWord),
      rowCount: deltaCount,
      holds: { kind: ExportKind.SEAL_DELTAS, from: day, to: day },
    });
  });
}

/** Returns the seal of the day in the address. Throws Refused or ConnectError if the day has no seal. */
async function sealOf(visit: Visit): Promise<DaySeal> {
  const { seal } = await visit.core.ledger.getSeal({ day: dayInPath(visit) }, visit.as);
  if (!seal) throw new Refused("unknown", visit);
  return seal;
}

/** Returns the parts of a sealed day's file that all its formats share. */
function fileOf(visit: Visit, { day, paymentCount, formatVersion }: DaySeal) {
  return {
    name: `sealed-${visit.mode}-${day}`,
    lines: sealedLines(visit, day),
    rowCount: paymentCount,
    formatVersion,
    holds: { kind: ExportKind.SEALED_DAY, from: day, to: day },
  };
}

/** Shows the requested month, or the present one. A month that is invalid is reported beside the field. */
async function month(visit: Visit): Promise<FastifyReply> {
  const asked = visit.query["month"] ?? "";
  const isMonth = MONTH.test(asked);
  if (asked === "" || isMonth) return await visit.show(await monthOf(visit, asked, NO_PROBLEMS));
  const problems = new Map([["month", messagesIn(visit.language)("month_refused")]]);
  return await visit.show(await monthOf(visit, "", problems), REFUSED_STATUS);
}

async function monthOf(visit: Visit, asked: string, problems: Problems): Promise<Html> {
  const now = presentDay();
  const first = asked === "" ? now.with({ day: 1 }) : Temporal.PlainDate.from(`${asked}-01`);
  const end = first.add({ months: 1 }).subtract({ days: 1 });
  const last = Temporal.PlainDate.compare(end, now) > 0 ? now : end;
  const count = Math.max(0, first.until(last).days + 1);
  if (count === 0)
    return monthPage(visit, {
      first,
      days: [],
      totals: [],
      seals: [],
      firstDay: "",
      refunds: new Map(),
      problems,
    });
  const span = { from: first.toString(), to: last.toString() };
  const { core, as } = visit;
  const [{ totals }, { seals, firstDay }, refunds] = await Promise.all([
    core.ledger.summarizePayments({ filter: span, byDay: true }, as),
    core.ledger.listSeals(span, as),
    refundSumsByDay(visit, span),
  ]);
  const days = Array.from({ length: count }, (_, index) => last.subtract({ days: index }));
  return monthPage(visit, { first, days, totals, seals, firstDay, refunds, problems });
}

async function refundsOf(visit: Visit, day: string): Promise<readonly RefundSum[] | undefined> {
  return (await refundSumsByDay(visit, { from: day, to: day })).get(day);
}

/** Returns the data of a sealed day without its verification, or undefined if the day is not sealed. */
async function sealedDay(visit: Visit, day: string): Promise<SealedDay | undefined> {
  const { core, as, tenantId } = visit;
  try {
    const [{ seal }, { members }] = await Promise.all([
      core.ledger.getSeal({ day }, as),
      core.users.listMembers({ tenantId }, as),
    ]);
    if (!seal) return undefined;
    const user = members.find(({ userId }) => userId === seal.sealedBy);
    const name = user?.name || user?.email || actorText(visit.language, seal.sealedBy ?? "");
    return { seal, sealedByName: name, verification: undefined };
  } catch (error) {
    if (codeOf(error) === "seal_not_found") return undefined;
    throw error;
  }
}

/** Hashes and compares every row of a sealed day, which takes seconds for a long day. Throws Refused. */
async function verify(visit: Visit, day: string): Promise<Verification> {
  const { ledger } = visit.core;
  const startingAfter = visit.query["after"] ?? "";
  try {
    const [verified, following] = await Promise.all([
      ledger.verifySeal({ day }, visit.as),
      startingAfter === ""
        ? undefined
        : ledger.listSealDeltas({ day, limit: DELTAS, startingAfter }, visit.as),
    ]);
    const { deltaCount } = verified;
    const deltas = verified.deltas.slice(0, DELTAS);
    return { verified, deltas: following ?? { deltas, hasMore: deltaCount > BigInt(deltas.length) } };
  } catch (error) {
    // The cursor is no change of the day.
    if (codeOf(error) === "invalid_request") throw new Refused("unknown", visit);
    throw error;
  }
}
