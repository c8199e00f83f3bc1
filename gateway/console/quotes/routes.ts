import type { FastifyReply } from "fastify";
import type { CreateQuoteResponse } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { figures } from "../parts/figures.ts";
import { isAskedFor } from "../fields/metadata.ts";
import { idempotent } from "../fields/submission.ts";
import { Typed } from "../fields/typed.ts";
import { messagesIn as fieldMessagesIn } from "../fields/messages.ts";
import { withQuery } from "../parts/table.ts";
import { SHOW_PRICES } from "../prices/view.ts";
import { NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { detailPage } from "./detail-page.ts";
import { quotesList } from "./list.ts";
import { newPage, quotePrices } from "./new-page.ts";
import { acceptFaults, acceptRequest, quoteRequest } from "./quote-form.ts";

const PROBLEM_STATUS = 422;

/** Adds the pages of quotes: list, detail, creation and acceptance. */
export function quotesRoom(routes: ConsoleRoutes): void {
  quotesList.addTo(routes);
  routes.page(
    "/quotes/new",
    "links.write",
    async (visit) => await visit.show(await newPage(visit, Typed.asked(visit))),
  );
  routes.page("/quotes/prices", "links.write", async (visit) => {
    const typed = Typed.asked(visit);
    if (visit.isPartial) return await visit.show(await quotePrices(visit, typed));
    return visit.goTo(withQuery(visit.path("/quotes/new"), { amount: typed.text("amount") }));
  });
  routes.page("/quotes/:id", "links.read", async (visit) => {
    const found = await visit.core.pricing.getQuote({ id: visit.part("id") }, visit.as);
    return await visit.show(detailPage(visit, found, Typed.asked(visit)));
  });
  routes.change("/quotes/new", "links.write", {
    act: create,
    refused: async (visit, problems) =>
      await visit.show(await newPage(visit, Typed.sent(visit), problems), PROBLEM_STATUS),
  });
  routes.change("/quotes/:id/accept", "links.write", {
    faults: (visit) => {
      const typed = Typed.sent(visit);
      return isAskedFor(typed) ? NO_PROBLEMS : acceptFaults(visit, typed);
    },
    act: accept,
    refused: async (visit, problems) => await showSent(visit, withPictures(visit, problems), PROBLEM_STATUS),
  });
}

async function create(visit: Visit): Promise<FastifyReply> {
  const typed = Typed.sent(visit);
  if (typed.text("do") === SHOW_PRICES) return await visit.show(await newPage(visit, typed));
  const made = await visit.core.pricing.createQuote(quoteRequest(visit, typed), idempotent(visit));
  return visit.goTo(visit.path(pathOf(visit, made)));
}

/** Returns the path of the created quote, or of the list, which begins with the quotes of all payment options. */
function pathOf(visit: Visit, { result }: CreateQuoteResponse): string {
  if (result.case === "quote") return `/quotes/${result.value.id}?done=made`;
  const { pix, ted, card = [] } = result.value ?? {};
  return withQuery("/quotes", figures(visit, { made: card.length + (pix ? 1 : 0) + (ted ? 1 : 0) }));
}

async function accept(visit: Visit): Promise<FastifyReply> {
  const typed = Typed.sent(visit);
  if (isAskedFor(typed)) return await showSent(visit);
  const request = acceptRequest(visit, visit.part("id"), typed);
  const { acceptedLink } = await visit.core.links.acceptQuote(request, idempotent(visit));
  return visit.goTo(visit.path(`/links/${acceptedLink?.id ?? ""}?done=made`));
}

/** Returns the problems with a text for pictures: only those of the gallery are allowed. */
function withPictures({ language }: Visit, problems: Problems): Problems {
  if (!problems.has("media_urls")) return problems;
  return new Map([...problems, ["media_urls", fieldMessagesIn(language)("pictures_refused")]]);
}

/** Shows the quote's page with the submitted form. */
async function showSent(visit: Visit, problems?: Problems, status = 200): Promise<FastifyReply> {
  const found = await visit.core.pricing.getQuote({ id: visit.part("id") }, visit.as);
  return await visit.show(detailPage(visit, found, Typed.sent(visit), problems), status);
}
