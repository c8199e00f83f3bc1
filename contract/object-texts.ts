import type { DescField, DescMessage, JsonObject, Message } from "@bufbuild/protobuf";
import { objectOf, textOf } from "./json-text.ts";

/**
 * A request's header by which a gateway may get every free object (google.protobuf.Struct) of the response as its JSON
 * text, in one member with the empty name. The response has the same header if it is so. A message for each value of an
 * object takes ten times as long to encode and to decode.
 */
export const OBJECTS_HEADER = "paylink-objects";
/** The header's only value. */
export const AS_TEXTS = "texts";

const MEMBER = "";

type Swap = (object: JsonObject) => JsonObject;
type Fields = Record<string, unknown>;
/** Returns the message with its objects swapped, and changes nothing. */
type SwapIn = (message: Fields, swap: Swap) => Fields;

const compiled = new WeakMap<DescMessage, SwapIn | undefined>();

/** Returns whether messages of the type can hold free objects. */
export function holdsObjects(desc: DescMessage): boolean {
  return swapIn(desc) !== undefined;
}

/** Returns whether an object of the message is kept as a text: for short ones alone, texts would cost more. */
export function holdsTexts(desc: DescMessage, message: Message): boolean {
  let isKept = false;
  swapped(desc, message, (object) => {
    isKept ||= textOf(object) !== undefined;
    return object;
  });
  return isKept;
}

/** Returns a copy of the message whose free objects have their text as their only member. */
export function withTexts(desc: DescMessage, message: Message): Message {
  return swapped(desc, message, (object) => ({ [MEMBER]: textOf(object) ?? JSON.stringify(object) }));
}

/** Returns a copy of a message that `withTexts` made, with its objects back. Throws Error on any other message. */
export function withObjects(desc: DescMessage, message: Message): Message {
  return swapped(desc, message, ({ [MEMBER]: text }) => {
    if (typeof text !== "string") throw new Error(`${desc.typeName}: an object has no text`);
    return objectOf(text);
  });
}

function swapped(desc: DescMessage, message: Message, swap: Swap): Message {
  const swapAll = swapIn(desc);
  return swapAll ? (swapAll(message, swap) as unknown as Message) : message;
}

function swapIn(desc: DescMessage): SwapIn | undefined {
  if (compiled.has(desc)) return compiled.get(desc);
  // A type within itself finds this entry. None of ours that holds objects is one.
  compiled.set(desc, undefined);
  const swaps = desc.fields.flatMap((field) => swapOf(field) ?? []);
  const swapAll: SwapIn | undefined =
    swaps.length === 0
      ? undefined
      : (message, swap) => {
          const copy = { ...message };
          for (const swapField of swaps) swapField(copy, swap);
          return copy;
        };
  compiled.set(desc, swapAll);
  return swapAll;
}

/** Returns a function that swaps the objects in one field of a message, or undefined if it cannot hold any. */
function swapOf(field: DescField): ((message: Fields, swap: Swap) => void) | undefined {
  const { localName, oneof } = field;
  const swapValue = valueSwap(field);
  if (!swapValue) return undefined;
  if (!oneof) {
    return (message, swap) => {
      if (message[localName] !== undefined) message[localName] = swapValue(message[localName], swap);
    };
  }
  return (message, swap) => {
    const chosen = message[oneof.localName] as { case: string | undefined; value: unknown };
    if (chosen.case === localName) {
      message[oneof.localName] = { case: localName, value: swapValue(chosen.value, swap) };
    }
  };
}

function valueSwap({
  fieldKind,
  message,
  ...field
}: DescField): ((value: unknown, swap: Swap) => unknown) | undefined {
  if (!message) return undefined;
  if (message.typeName === "google.protobuf.Struct") {
    if (fieldKind !== "message") throw new Error(`${field.name}: only single objects can be texts`);
    return (value, swap) => swap(value as JsonObject);
  }
  const swapAll = swapIn(message);
  if (!swapAll) return undefined;
  switch (fieldKind) {
    case "message":
      return (value, swap) => swapAll(value as Fields, swap);
    case "list":
      return (value, swap) => (value as Fields[]).map((item) => swapAll(item, swap));
    default:
      throw new Error(`${field.name}: no map holds objects`);
  }
}
