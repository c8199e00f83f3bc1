import type { FastifyReply } from "fastify";
import { wordsOf } from "../../../contract/enum-words.ts";
import { SimulatedOutcome } from "../../../gen/paylink/links/v1/links_pb.ts";
import { defined } from "../../../contract/defined.ts";
import { isAskedFor } from "../fields/metadata.ts";
import { idempotent } from "../fields/submission.ts";
import { Typed } from "../fields/typed.ts";
import { withQuery } from "../parts/table.ts";
import { SHOW_PRICES } from "../prices/view.ts";
import { methodOf } from "../prices/payment-option.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { PICTURE_BYTES_MAX, uploadedPicture } from "../media/uploaded.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import { typedInQuery } from "./link-form.ts";
import { chargeRoutes } from "./charge.ts";
import { editForm } from "./edit-form.ts";
import { detailPage } from "./detail-page.ts";
import { linkFaults, linkRequest } from "./link-form.ts";
import { linkFacts } from "./link-facts.ts";
import { linksList } from "./list.ts";
import { importRoutes } from "./import.ts";
import { manyRoutes } from "./many.ts";
import { linkPrices, newPage, PICTURE_PATH } from "./new-page.ts";
import { qrRoutes } from "./share.ts";

const PROBLEM_STATUS = 422;
const outcomes = wordsOf(SimulatedOutcome);

/** Adds the pages of payment links: list, detail, creation, import, sharing, changes and simulation. */
export function linksRoom(routes: ConsoleRoutes): void {
  linksList.addTo(routes);
  routes.page(
    "/links/new",
    "links.write",
    async (visit) => await visit.show(await newPage(visit, await typedInQuery(visit))),
  );
  routes.page("/links/prices", "links.write", async (visit) => {
    const typed = Typed.asked(visit);
    if (visit.isPartial) return await visit.show(await linkPrices(visit, typed));
    return visit.goTo(withQuery(visit.path("/links/new"), { amount: typed.text("amount") }));
  });
  routes.page("/links/:id", "links.read", async (visit) => {
    const facts = await linkFacts(visit, visit.part("id"));
    return await visit.show(detailPage(visit, facts));
  });
  routes.change("/links/new", "links.write", {
    faults: (visit) => {
      const typed = Typed.sent(visit);
      return isUnfinished(typed) ? NO_PROBLEMS : linkFaults(visit, typed);
    },
    act: create,
    refused: showAgain,
  });
  routes.change(PICTURE_PATH, "links.write", {
    fileBytesMax: PICTURE_BYTES_MAX,
    act: async (visit) => {
      const picture = (await uploadedPicture(visit))?.url ?? "";
      const typed = Typed.sent(visit).with("product_images", picture);
      return await visit.show(await newPage(visit, typed));
    },
    refused: showAgain,
  });
  for (const [word, change] of CHANGES) {
    routes.change(`/links/:id/${word}`, "links.write", {
      act: async (visit) => {
        const id = visit.part("id");
        await change(visit, id);
        return visit.goTo(visit.path(`/links/${id}?done=${word}`));
      },
    });
  }
  manyRoutes(routes, linksList);
  importRoutes(routes);
  editForm(routes);
  qrRoutes(routes);
  chargeRoutes(routes);
  routes.change("/links/:id/simulate", "links.write", { act: simulate });
}

/** The changes of a link by one button. */
const CHANGES: readonly (readonly [word: string, change: (visit: Visit, id: string) => Promise<unknown>])[] =
  [
    ["cancel", async ({ core, as }, id) => await core.links.cancelPaymentLink({ id }, as)],
    ["reactivate", async ({ core, as }, id) => await core.links.reactivatePaymentLink({ id }, as)],
  ];

async function showAgain(visit: Visit, problems: Problems): Promise<FastifyReply> {
  return await visit.show(await newPage(visit, Typed.sent(visit), problems), PROBLEM_STATUS);
}

/** Returns whether the form was sent by a button that only shows it again. */
function isUnfinished(typed: Typed): boolean {
  return isAskedFor(typed) || typed.text("do") === SHOW_PRICES;
}

async function create(visit: Visit): Promise<FastifyReply> {
  const typed = Typed.sent(visit);
  if (isUnfinished(typed)) return await visit.show(await newPage(visit, typed));
  const { paymentLink } = await visit.core.links.createPaymentLink(
    linkRequest(visit, typed),
    idempotent(visit),
  );
  return visit.goTo(visit.path(`/links/${paymentLink?.id ?? ""}?done=made`));
}

async function simulate(visit: Visit): Promise<FastifyReply> {
  const id = visit.part("id");
  const outcome = outcomes.numberOf(visit.text("outcome"));
  const paymentMethod = methodOf(visit.text("payment_method"));
  await visit.core.links.simulatePayment(
    {
      id,
      ...defined({ outcome, paymentMethod }),
    },
    visit.as,
  );
  return visit.goTo(visit.path(`/links/${id}?done=simulated`));
}
