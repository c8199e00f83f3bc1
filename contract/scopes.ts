import { CreateApiKeyRequestSchema } from "../gen/paylink/identity/v1/identity_pb.ts";
import { allowedWords } from "./rule-words.ts";

/** All scopes of API keys, in the order of the rule on CreateApiKey. */
export const SCOPES: readonly string[] = allowedWords(CreateApiKeyRequestSchema.field.scopes) ?? [];
