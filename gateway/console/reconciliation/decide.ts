import { DecideRequestSchema, Leg } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayInPath } from "../day-in-path.ts";
import { textFaults } from "../form/faults.ts";
import { codeOf, FormProblem, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { dayPage, reasonField, type SentDecision } from "./day-page.ts";
import { messagesIn } from "./messages.ts";

const PROBLEM_STATUS = 422;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Adds the forms by which a person joins or explains lines of a day, and takes that back. */
export function decideRoutes(routes: ConsoleRoutes): void {
  routes.change("/reconciliation/days/:day/decide", "reconciliation.write", {
    faults: (visit) => {
      const { lines, reason } = sentDecision(visit);
      const faults = new Map(textFaults(visit, { reason: [DecideRequestSchema.field.reason, reason] }));
      if (lines.length === 0) faults.set("", messagesIn(visit.language)("choose_lines"));
      return faults;
    },
    act: async (visit) => {
      const day = dayInPath(visit);
      const { leg, lines, reason } = sentDecision(visit);
      await visit.core.reconciliation.decide({ leg, lineKeys: [...lines], reason }, visit.as);
      return visit.goTo(`${visit.path(`/reconciliation/days/${day}`)}?done=decided`);
    },
    refused: async (visit, problems) => {
      const sent = sentDecision(visit);
      const shown = { ...sent, problems: ownProblems(visit, sent.leg, problems) };
      return await visit.show(await dayPage(visit, dayInPath(visit), shown), PROBLEM_STATUS);
    },
  });
  routes.change("/reconciliation/decisions/:id/undo", "reconciliation.write", {
    act: async (visit) => {
      try {
        await visit.core.reconciliation.undoDecision({ id: visit.part("id") }, visit.as);
      } catch (error) {
        if (codeOf(error) !== "decision_not_found") throw error;
        throw new FormProblem("", messagesIn(visit.language)("decision_gone"));
      }
      const day = visit.text("day");
      const page = DAY.test(day) ? `/reconciliation/days/${day}` : "/reconciliation";
      return visit.goTo(`${visit.path(page)}?done=undone`);
    },
  });
}

function sentDecision(visit: Visit): Omit<SentDecision, "problems"> {
  const leg = visit.text("leg") === String(Leg.BANK) ? Leg.BANK : Leg.BOOKS;
  const whole = visit.texts("lines").flatMap((keys) => keys.split(/\r?\n/));
  return {
    leg,
    lines: [...new Set([...whole, ...visit.texts("line")])],
    reason: visit.text(reasonField(leg)).trim(),
  };
}

/** Returns the problems by the fields of the page. What is wrong with lines concerns the form. */
function ownProblems(visit: Visit, leg: Leg, problems: Problems): Problems {
  const t = messagesIn(visit.language);
  return new Map(
    [...problems].map(([field, text]) => {
      if (field.startsWith("line_keys")) return ["", t("lines_refused")];
      return [field === "reason" ? reasonField(leg) : field, text];
    }),
  );
}
