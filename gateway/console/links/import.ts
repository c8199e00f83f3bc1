import type { CallOptions } from "@connectrpc/connect";
import { HEADERS } from "../../../contract/headers.ts";
import type { PaymentLink } from "../../../gen/paylink/links/v1/links_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { idempotent, submissionField } from "../fields/submission.ts";
import { consolePage } from "../frame.ts";
import { fileField, hiddenToken, problemList } from "../parts/form.ts";
import { badge, card, copyButton, cut } from "../parts/show.ts";
import { rowTable } from "../parts/table.ts";
import { FormProblem, NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { fileOf } from "../upload.ts";
import type { Visit } from "../visit.ts";
import { BYTES_MAX, COLUMNS, ROWS_MAX, rowsOf, typedOf, type Row } from "./import-rows.ts";
import { linkRequest } from "./link-form.ts";
import { messagesIn } from "./messages.ts";
import { unpayableNote } from "./unpayable.ts";

const PROBLEM_STATUS = 422;
const PATH = "/links/import";
/** What became of one row. */
interface Imported {
  readonly number: number;
  readonly name: string;
  readonly link?: PaymentLink | undefined;
  readonly problems: readonly string[];
}

/** Adds the page that makes links of the rows of a CSV file. A file that is sent twice makes its links once. */
export function importRoutes(routes: ConsoleRoutes): void {
  routes.page(PATH, "links.write", async (visit) => await visit.show(importPage(visit, NO_PROBLEMS)));
  routes.change(PATH, "links.write", {
    fileBytesMax: BYTES_MAX,
    act: async (visit) => {
      const rows = sentRows(visit);
      const call = idempotent(visit);
      const done: Imported[] = [];
      for (const [index, row] of rows.entries()) done.push(await imported(visit, call, row, index + 1));
      return await visit.show(resultPage(visit, done));
    },
    refused: async (visit, problems) => await visit.show(importPage(visit, problems), PROBLEM_STATUS),
  });
}

/** Returns the rows of the form's file. Throws FormProblem if no file was chosen, or it is not such a CSV. */
function sentRows(visit: Visit): Row[] {
  const t = messagesIn(visit.language);
  const file = fileOf(visit.request);
  if (!file) throw new FormProblem("content", t("import_no_file"));
  if (!file.content) throw new FormProblem("content", t("import_large"));
  return rowsOf(file.content, t);
}

async function imported(visit: Visit, call: CallOptions, row: Row, number: number): Promise<Imported> {
  const name = row["description"] || row["reference"] || row["amount"] || "";
  const headers = new Headers(call.headers);
  headers.set(HEADERS.idempotencyKey, `${headers.get(HEADERS.idempotencyKey) ?? ""}-${number}`);
  try {
    const request = linkRequest(visit, typedOf(row, messagesIn(visit.language), visit.language));
    const { paymentLink } = await visit.core.links.createPaymentLink(request, { ...call, headers });
    return { number, name, link: paymentLink, problems: [] };
  } catch (error) {
    const problems = problemsOf(error, visit.t);
    if (!problems) throw error;
    return {
      number,
      name,
      problems: [...problems].map(([field, text]) => (field === "" ? text : `${field}: ${text}`)),
    };
  }
}

function importPage(visit: Visit, problems: Problems): Html {
  const t = messagesIn(visit.language);
  return consolePage(visit, {
    title: t("import_title"),
    section: "/links",
    trail: { path: "/links", title: t("title") },
    content: html`${problemList(visit, problems)}
      <section class="card slim">
        <p>${t("import_text", { max: ROWS_MAX })}</p>
        <pre tabindex="0">
${COLUMNS.join(",")}
159.90,BRL,pix|card,6,absorb,Curso de fotografia,,,pedido-1042,,7</pre>
        <form method="post" action="${visit.path(PATH)}" enctype="multipart/form-data">
          ${hiddenToken(visit)} ${submissionField()}
          ${fileField({ name: "content", label: t("import_file"), accept: ".csv,text/csv", problems })}
          <button class="primary">${t("import_button")}</button>
        </form>
      </section>`,
  });
}

function resultPage(visit: Visit, rows: readonly Imported[]): Html {
  const t = messagesIn(visit.language);
  const made = rows.filter(({ link }) => link !== undefined).length;
  return consolePage(visit, {
    title: t("import_title"),
    section: "/links",
    trail: { path: "/links", title: t("title") },
    content: html`<p role="status">${t("import_done", { made, count: rows.length })}</p>
      ${card(
        t("import_result"),
        rowTable(t, {
          caption: t("import_result"),
          rows,
          columns: {
            import_row: ({ number }) => String(number),
            name: ({ name, link }) =>
              link ? html`<a href="${visit.path(`/links/${link.id}`)}">${cut(name)}</a>` : cut(name),
            amount: ({ link }) => (link ? visit.format.money(link.amount, link.currency) : ""),
            import_outcome: ({ link, problems }) =>
              link
                ? html`${badge("good", t("import_made"))} ${copyButton(link.checkoutUrl, t("copy_link"))}
                  ${unpayableNote(visit, link)}`
                : html`${badge("bad", t("import_refused"))} ${problems.join(" ")}`,
          },
          empty: html``,
        }),
      )}`,
  });
}
