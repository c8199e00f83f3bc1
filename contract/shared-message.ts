// The text of a shared message, as it was first written.
const texts = new WeakMap<object, string | undefined>();

/** Marks a message that many answers are going to hold, so that it is written once. It cannot change from now on. */
export function share<Message extends object>(message: Message): Message {
  texts.set(message, undefined);
  return Object.freeze(message);
}

/** Returns the text of a shared message, which `write` makes the first time; undefined for any other message. */
export function sharedText(message: object, write: () => string): string | undefined {
  const text = texts.get(message);
  if (text !== undefined || !texts.has(message)) return text;
  const written = write();
  texts.set(message, written);
  return written;
}
