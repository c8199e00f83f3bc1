import { createHash } from "node:crypto";
import {
  ImportBankFileRequestSchema,
  type BankAccount,
  type ImportBankFileResponse,
  type PreviewBankImportResponse,
} from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { limitOf } from "../form/limits.ts";
import { consolePage } from "../frame.ts";
import { figures } from "../parts/figures.ts";
import { fileField, hiddenToken, problemList } from "../parts/form.ts";
import { withQuery } from "../parts/table.ts";
import { FormProblem, NO_PROBLEMS, type Problems } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { fileOf } from "../upload.ts";
import type { Visit } from "../visit.ts";
import { bankAccountOf } from "./bank-accounts.ts";
import { messagesIn } from "./messages.ts";
import { previewPart } from "./preview.ts";

const PATH = "/reconciliation/accounts/:id/import";
const FILE_FIELD = "content";
const FORM_ID = "import";
/** What is held in memory of a form. The command line takes larger files. */
const BYTES_MAX = 10_000_000;
const NAME_MAX = limitOf(ImportBankFileRequestSchema.field.fileName, "maxLength");
const PROBLEM_STATUS = 422;
const TYPES = ".ofx,.ret,.txt,.csv,.xlsx";

/** A bank's file as it was sent. */
interface SentFile {
  readonly name: string;
  readonly content: Buffer;
  readonly sha256: string;
}

/**
 * Adds the page that imports a bank's file. What the file has is shown first, which stores nothing. The import takes only
 * the file that was shown, known by its hash.
 */
export function importRoutes(routes: ConsoleRoutes): void {
  routes.page(
    PATH,
    "reconciliation.write",
    async (visit) => await visit.show(importPage(visit, await bankAccountOf(visit), "", NO_PROBLEMS)),
  );
  routes.change(PATH, "reconciliation.write", {
    fileBytesMax: BYTES_MAX,
    act: async (visit) => {
      const account = await bankAccountOf(visit);
      const file = sentFile(visit);
      if (visit.text("shown") !== file.sha256) return await showPreview(visit, account, file);
      const answer = await visit.core.reconciliation.importBankFile(
        { bankAccountId: account.id, fileName: file.name, content: file.content },
        visit.as,
      );
      if (answer.rejectedCount > 0) return await showPreview(visit, account, file);
      return visit.goTo(doneAddress(visit, account, answer));
    },
    refused: async (visit, problems) => {
      const page = importPage(visit, await bankAccountOf(visit), "", inField(problems));
      return await visit.show(page, PROBLEM_STATUS);
    },
  });
}

async function showPreview(visit: Visit, account: BankAccount, file: SentFile) {
  const { content, name, sha256 } = file;
  const request = { bankAccountId: account.id, content };
  const found = await visit.core.reconciliation.previewBankImport(request, visit.as);
  const isOther = visit.text("shown") !== "" && visit.text("shown") !== sha256;
  const preview = previewPart(visit, { found, name, isOther, button: importButton(visit, found, sha256) });
  return await visit.show(importPage(visit, account, preview, NO_PROBLEMS));
}

/** Returns the file of the form. Throws FormProblem if none was chosen, or it is too large. */
function sentFile(visit: Visit): SentFile {
  const t = messagesIn(visit.language);
  const file = fileOf(visit.request);
  if (!file) throw new FormProblem(FILE_FIELD, t("no_file"));
  const { content } = file;
  if (!content) throw new FormProblem(FILE_FIELD, t("file_large"));
  const name = file.name
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, NAME_MAX)
    .toWellFormed();
  return { name, content, sha256: createHash("sha256").update(content).digest("hex") };
}

function importPage(visit: Visit, account: BankAccount, preview: Html | "", problems: Problems): Html {
  const t = messagesIn(visit.language);
  const address = visit.path(PATH.replace(":id", account.id));
  return consolePage(visit, {
    title: t("import_title", { name: account.name }),
    section: "/reconciliation",
    trail: { path: "/reconciliation/accounts", title: t("bank_accounts") },
    content: html`<div id="import-problems">${problemList(visit, problems)}</div>
      <section class="card slim">
        <p>${t("import_text")}</p>
        <form id="${FORM_ID}" method="post" action="${address}" enctype="multipart/form-data" data-drop>
          ${hiddenToken(visit)}
          ${fileField({ name: FILE_FIELD, label: t("file"), help: t("file_help"), accept: TYPES, problems })}
          <button
            class="primary"
            data-hx-post="${address}"
            data-hx-target="#preview"
            data-hx-select="#preview"
            data-hx-select-oob="#import-problems"
            data-hx-swap="outerHTML"
          >
            ${t("preview")}
          </button>
        </form>
      </section>
      <div id="preview" role="status">${preview}</div>`,
  });
}

/** Returns the button that imports what is shown: a part of the form above, whose file is still chosen with a script. */
function importButton(visit: Visit, found: PreviewBankImportResponse, sha256: string): Html | "" {
  const t = messagesIn(visit.language);
  if (found.rejectedCount > 0) return "";
  if (found.lineCount === found.knownCount) return html`<p>${t("nothing_new")}</p>`;
  return html`<p>
      <button class="primary" form="${FORM_ID}" name="shown" value="${sha256}">${t("import_lines")}</button>
    </p>
    <noscript><p class="quiet">${t("preview_again")}</p></noscript>`;
}

function doneAddress(
  visit: Visit,
  { id }: BankAccount,
  { importedCount, knownCount }: ImportBankFileResponse,
): string {
  const counts = figures(visit, { imported: importedCount, known: knownCount });
  return withQuery(visit.path("/reconciliation/lines"), { account: id, ...counts });
}

/** Returns the problems at the file's field: the core names what of the request is wrong, which the form has not. */
function inField(problems: Problems): Problems {
  return new Map([...problems].map(([field, text]) => [field === "" ? "" : FILE_FIELD, text]));
}
