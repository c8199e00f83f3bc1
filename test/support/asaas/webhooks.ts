import { stampOf } from "../provider/dates.ts";
import { textOf, type Fields } from "../provider/json.ts";
import type { Note, OutboxRules } from "../provider/outbox.ts";
import type { AsaasDeps } from "./deps.ts";
import { invalid, notFound } from "./problem.ts";
import type { Account, Webhook } from "./state.ts";

const COUNT_MAX = 10;
const FAILURES_MAX = 15;
const EVENT = /^(PAYMENT|CHECKOUT|BALANCE)_[A-Z_]+$/;

export function createWebhook(account: Account, body: Fields, deps: AsaasDeps): Webhook {
  if (account.webhooks.size >= COUNT_MAX) throw invalid("object", "A conta já tem dez webhooks.");
  const webhook: Webhook = {
    id: deps.ids.uuid(),
    name: "",
    url: "",
    email: null,
    isEnabled: true,
    isInterrupted: false,
    authToken: null,
    sendType: "SEQUENTIALLY",
    events: [],
    failures: 0,
  };
  for (const field of ["name", "url", "email", "enabled", "interrupted", "events", "sendType"]) {
    if (body[field] === undefined) throw invalid(field, `O campo ${field} falta.`);
  }
  change(webhook, body);
  account.webhooks.set(webhook.id, webhook);
  return webhook;
}

/** Changes the fields that are given. `interrupted: false` lets a stopped queue go on. */
export function changeWebhook(account: Account, id: string, body: Fields, deps: AsaasDeps): Webhook {
  const webhook = findWebhook(account, id);
  const wasInterrupted = webhook.isInterrupted;
  change(webhook, body);
  if (wasInterrupted && !webhook.isInterrupted) goOn(webhook, deps);
  return webhook;
}

export function removeBackoff(account: Account, id: string, deps: AsaasDeps): void {
  goOn(findWebhook(account, id), deps);
}

export function findWebhook(account: Account, id: string): Webhook {
  const webhook = account.webhooks.get(id);
  if (!webhook) throw notFound("Webhook");
  return webhook;
}

function goOn(webhook: Webhook, deps: AsaasDeps): void {
  webhook.isInterrupted = false;
  webhook.failures = 0;
  deps.resume(webhook.id);
}

function change(webhook: Webhook, body: Fields): void {
  const { name, url, email, enabled, interrupted, authToken, sendType, events } = body;
  if (name !== undefined) webhook.name = textOf(name) ?? "";
  if (email !== undefined) webhook.email = textOf(email);
  if (typeof enabled === "boolean") webhook.isEnabled = enabled;
  if (typeof interrupted === "boolean") webhook.isInterrupted = interrupted;
  if (url !== undefined) {
    if (!/^https?:$/.test(URL.parse(textOf(url) ?? "")?.protocol ?? ""))
      throw invalid("url", "A url não é válida.");
    webhook.url = textOf(url) ?? "";
  }
  if (authToken !== undefined && authToken !== null) {
    const token = textOf(authToken) ?? "";
    if (token.length < 32 || token.length > 255)
      throw invalid("authToken", "O authToken tem de 32 a 255 caracteres.");
    webhook.authToken = token;
  }
  if (sendType !== undefined) {
    if (sendType !== "SEQUENTIALLY" && sendType !== "NON_SEQUENTIALLY")
      throw invalid("sendType", "Não é uma ordem.");
    webhook.sendType = sendType;
  }
  if (events !== undefined) {
    if (!Array.isArray(events) || !events.every((event) => typeof event === "string" && EVENT.test(event))) {
      throw invalid("events", "Os eventos não são válidos.");
    }
    webhook.events = events as string[];
  }
}

/** Returns the news of an event for each address that asked for it. Their bodies are of this moment. */
export function notesOf(account: Account, event: string, subject: Fields, deps: AsaasDeps): Note[] {
  return [...account.webhooks.values()]
    .filter(({ isEnabled, events }) => isEnabled && events.includes(event))
    .map((webhook) => {
      const id = `evt_${deps.ids.token(32)}&${deps.ids.next()}`;
      return {
        id,
        hookId: webhook.id,
        url: webhook.url,
        headers: webhook.authToken === null ? {} : { "asaas-access-token": webhook.authToken },
        text: JSON.stringify({
          id,
          event,
          dateCreated: stampOf(deps.clock.now()),
          account: { id: account.id, ownerId: null },
          ...subject,
        }),
      };
    });
}

/** Only 200 counts. Fifteen failures in a row stop the whole queue. */
export function outboxRules(accounts: readonly Account[]): OutboxRules {
  const find = (id: string): Webhook | undefined =>
    accounts.map(({ webhooks }) => webhooks.get(id)).find((webhook) => webhook !== undefined);
  return {
    isTaken: (status) => status === 200,
    isOpen: (id) => find(id)?.isInterrupted === false,
    isOrdered: (id) => find(id)?.sendType === "SEQUENTIALLY",
    onOutcome: ({ hookId }, isTaken) => {
      const webhook = find(hookId);
      if (!webhook) return;
      webhook.failures = isTaken ? 0 : webhook.failures + 1;
      if (webhook.failures >= FAILURES_MAX) webhook.isInterrupted = true;
    },
  };
}
