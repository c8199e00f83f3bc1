import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { Option } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ProviderAccountState,
  ProviderKind,
  ProvidersService,
  type Provider,
  type ProviderAccount,
  type UnknownMoney,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { defined } from "../../contract/defined.ts";
import { explainedScopes, missingScopeMessagesIn } from "../../contract/missing-scope-messages.ts";
import { coreClient, tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { boundModeOption, forTenant, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row } from "../output/output.ts";
import { readSettings } from "./provider-config.ts";

const kinds = wordsOf(ProviderKind);
const states = wordsOf(ProviderAccountState);

type PutOptions = TenantChoice & {
  readonly kind: string;
  readonly profile: string;
  readonly config: string;
  readonly label?: string;
};

interface VerifyOptions {
  readonly register?: boolean;
  readonly replace?: boolean;
}

const SET_OFFSET = "give the account its clock_offset (paylink providers rotate).";
const LEFT_AS_IT_IS =
  "The provider calls back at other_callback_url, another system's: it was left as it is. --replace sets the account's in its place.";

export function addProviders(program: Command): void {
  const providers = program
    .command("providers")
    .addHelpText(
      "after",
      examples(
        "providers put --tenant ten_… --mode live --kind pix --profile efi --config efi.json",
        "providers put --tenant ten_… --mode live --kind card --profile asaas --config asaas.json",
        "providers put --tenant ten_… --mode live --kind card --profile pagarme --config pagarme.json",
        "providers put --tenant ten_… --mode live --kind pix --profile asaas --config asaas.json",
        "providers verify pac_… --register",
        "providers unknown --tenant ten_… --mode live",
        "providers settle pac_… E123… --note returned",
      ),
    );
  forTenant(providers.command("put"))
    .description("connect an account; the address of its callbacks is shown only now")
    .addOption(new Option("--kind <kind>", "what it is for").choices(["pix", "card"]).makeOptionMandatory())
    .requiredOption("--profile <name>", "the provider's profile, one that `providers available` names")
    .requiredOption("--config <file>", "credentials and settings, JSON")
    .option("--label <text>", "display name")
    .action(async ({ kind, profile, config, label, ...choice }: PutOptions, command: Command) => {
      const { client, options } = await tenantClient(ProvidersService, choice);
      const { providers: available } = await client.listProviders({}, options);
      const of = { kind: kinds.numberOf(kind) ?? ProviderKind.UNSPECIFIED, profile };
      const same = available.filter((one) => one.kind === of.kind && one.profile === profile);
      const settings = await settingsIn(config, same.length > 0 ? same : available);
      const request = { ...of, settings, ...defined({ label }) };
      const { account, callbackUrl } = await client.putProviderAccount(request, options);
      print(command, { id: account?.id ?? "", callback_url: callbackUrl });
    });
  providers
    .command("available")
    .description("list the providers that an account can be of, with the fields of its config file")
    .action(async (_options: object, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      print(command, (await client.listProviders({}, options)).providers.map(availableRow));
    });
  providers
    .command("list")
    .description("list a tenant's accounts, retired ones too")
    .requiredOption("--tenant <id>", "the tenant that it is about, ten_…")
    .addOption(boundModeOption())
    .action(async ({ tenant, mode: only }: { tenant: string; mode?: string }, command: Command) => {
      const found: ProviderAccount[] = [];
      for (const mode of only === undefined ? ["live", "test"] : [only]) {
        const { client, options } = await tenantClient(ProvidersService, { tenant, mode });
        found.push(...(await client.listProviderAccounts({}, options)).accounts);
      }
      print(command, found.map(row));
    });
  providers
    .command("verify")
    .description(
      "ask the provider whether it accepts an account; fails if it does not, and if an address stays unset",
    )
    .argument("<id>", "the account's id")
    .option("--register", "set the address of callbacks there too, unless another system has its own there")
    .option("--replace", "set it in place of another system's")
    .action(async (id: string, { register = false, replace = false }: VerifyOptions, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      const request = { id, isRegistered: register || replace, isReplaced: replace };
      const answer = await client.verifyProviderAccount(request, options);
      const { isAccepted, problem, missingScopes, isCallbackRegistered, clockSkewSeconds } = answer;
      const { otherCallbackUrl, isKeyConfirmed, chargeClockGapSeconds: gap } = answer;
      const isLeft = register && !replace && otherCallbackUrl !== undefined;
      print(command, {
        id,
        accepted: isAccepted ? "yes" : "no",
        problem: problem ?? null,
        missing_scopes: missingScopes,
        warnings: [
          ...explainedScopes(missingScopes).map((scope) => missingScopeMessagesIn("en")(scope)),
          ...(isLeft ? [LEFT_AS_IT_IS] : []),
          ...(gap === undefined
            ? []
            : [`The times of charges are ${gap} s from the provider's clock: ${SET_OFFSET}`]),
        ],
        pix_key_confirmed: isKeyConfirmed === undefined ? null : isKeyConfirmed ? "yes" : "no",
        callback_registered: isCallbackRegistered ? "yes" : "no",
        other_callback_url: otherCallbackUrl ?? null,
        charge_clock_gap_seconds: gap === undefined ? null : Number(gap),
        clock_skew_seconds: clockSkewSeconds === undefined ? null : Number(clockSkewSeconds),
      });
      const isBarred = register && missingScopes.some((scope) => scope.startsWith("webhook."));
      if (!isAccepted || isLeft || (isBarred && !isCallbackRegistered)) process.exitCode = 1;
    });
  providers
    .command("rotate")
    .description("give an account new credentials; open charges stay with it")
    .argument("<id>", "the account's id")
    .requiredOption("--config <file>", "credentials and settings, JSON")
    .action(async (id: string, { config }: { config: string }, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      const { providers: available } = await client.listProviders({}, options);
      const request = { id, settings: await settingsIn(config, available) };
      printAccount(command, (await client.rotateProviderAccount(request, options)).account);
    });
  providers
    .command("retire")
    .description("make no new charge with an account; it still answers for what exists")
    .argument("<id>", "the account's id")
    .action(async (id: string, _options: object, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      printAccount(command, (await client.retireProviderAccount({ id }, options)).account);
    });
  providers
    .command("sweep")
    .description("read an account's statements now")
    .argument("<id>", "the account's id")
    .action(async (id: string, _options: object, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      const swept = await client.sweepProviderAccount({ id }, options);
      const { moneyCount, unknownCount, unreadDays } = swept;
      print(command, {
        id,
        money: Number(moneyCount),
        unknown: Number(unknownCount),
        unread_days: unreadDays,
      });
    });
  forTenant(providers.command("unknown"))
    .description("list the money that belongs to no charge")
    .option("--settled", "list what was settled, in place of what is open")
    .action(
      async ({ settled = false, ...choice }: TenantChoice & { settled?: boolean }, command: Command) => {
        const { client, options } = await tenantClient(ProvidersService, choice);
        const { money } = await client.listUnknownMoney({ isSettled: settled }, options);
        print(command, money.map(settled ? settledRow : moneyRow));
      },
    );
  providers
    .command("settle")
    .description("mark money that belongs to no charge as settled; nothing is credited")
    .argument("<id>", "the account's id")
    .argument("<money>", "the money's endToEndId")
    .requiredOption("--note <text>", "what became of it, at most 140 characters")
    .action(async (accountId: string, endToEndId: string, { note }: { note: string }, command: Command) => {
      const { client, options } = await coreClient(ProvidersService);
      const { money } = await client.settleUnknownMoney({ accountId, endToEndId, note }, options);
      if (money) print(command, settledRow(money));
    });
}

/** Paths in the file are relative to it. */
async function settingsIn(file: string, providers: readonly Provider[]): Promise<Record<string, string>> {
  const folder = dirname(resolve(file));
  const read = async (path: string): Promise<Buffer> => await readFile(resolve(folder, path));
  return await readSettings(await readFile(file, "utf8"), providers, read);
}

function printAccount(command: Command, account: ProviderAccount | undefined): void {
  if (account) print(command, row(account));
}

function availableRow({ kind, profile, settings }: Provider): Row {
  return {
    kind: kinds.wordOf(kind) ?? "unknown",
    profile,
    needed: settings.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    optional: settings.flatMap(({ name, isRequired }) => (isRequired ? [] : [name])),
  };
}

function moneyRow({ accountId, endToEndId, txid, amount, receivedAt }: UnknownMoney): Row {
  return {
    account: accountId,
    end_to_end_id: endToEndId,
    txid: txid ?? null,
    amount: Number(amount),
    received_at: timeCell(receivedAt),
  };
}

function settledRow(money: UnknownMoney): Row {
  const { settledAt, settledBy = null, note = null } = money;
  return { ...moneyRow(money), settled_at: timeCell(settledAt), settled_by: settledBy, note };
}

function row(account: ProviderAccount): Row {
  const { id, kind, profile, label, state, fingerprint, lastFour, certificateSubject } = account;
  return {
    id,
    kind: kinds.wordOf(kind) ?? "unknown",
    profile,
    label: label ?? null,
    state: states.wordOf(state) ?? "unknown",
    client: `…${lastFour}`,
    fingerprint,
    certificate: certificateSubject,
    certificate_expires_at: timeCell(account.certificateExpiresAt),
    verified_at: timeCell(account.verifiedAt),
    callbacks_interrupted_at: timeCell(account.callbacksInterruptedAt),
    ...(account.fewCallsAt ? { few_calls_at: timeCell(account.fewCallsAt) } : {}),
    unread_days: account.unreadDays,
    created_at: timeCell(account.createdAt),
  };
}
