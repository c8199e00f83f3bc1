export { messages, type Message, type Translate } from "../../contract/messages.ts";
