import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HOOK_URL, type Scenes } from "./scenery.ts";

export const webhooksScenes: Scenes = {
  CreateWebhookEndpoint: async (as, { merchant }) => [
    (await merchant.webhooks.createWebhookEndpoint({ url: `${HOOK_URL}?token=1` }, as)).endpoint?.id,
  ],
  UpdateWebhookEndpoint: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.updateWebhookEndpoint({ id, url: `${HOOK_URL}/moved` }, as);
    return [id];
  },
  DisableWebhookEndpoint: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, as);
    return [id];
  },
  EnableWebhookEndpoint: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    await merchant.webhooks.enableWebhookEndpoint({ id }, as);
    return [id];
  },
  RotateWebhookSecret: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.rotateWebhookSecret({ id }, as);
    return [id];
  },
  DeleteWebhookEndpoint: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.deleteWebhookEndpoint({ id }, as);
    return [id];
  },
  ResendEvent: async (as, { merchant, newDelivery }) => {
    const { eventId: id, deliveryId } = await newDelivery();
    await merchant.webhooks.resendEvent({ id }, as);
    return [deliveryId];
  },
  ResendFailedEvents: async (as, { merchant, newEndpoint }) => {
    const id = await newEndpoint();
    await merchant.webhooks.disableWebhookEndpoint({ id }, merchant.as);
    await merchant.pay();
    await merchant.webhooks.enableWebhookEndpoint({ id }, merchant.as);
    await merchant.webhooks.resendFailedEvents({ endpointId: id, since: timestampFromMs(0) }, as);
    return [id];
  },
  "ResendDeliveries of several": async (as, { merchant, newDelivery }) => {
    const deliveryIds = [(await newDelivery()).deliveryId, (await newDelivery()).deliveryId];
    await merchant.webhooks.resendDeliveries({ deliveryIds }, as);
    return [""];
  },
  "ResendEvent to several endpoints": async (as, { merchant, newEndpoint }) => {
    await Promise.all([newEndpoint(), newEndpoint()]);
    await merchant.pay();
    const { events } = await merchant.webhooks.listEvents(
      { type: "payment.succeeded", limit: 1 },
      merchant.as,
    );
    const id = events[0]?.id ?? "";
    await merchant.webhooks.resendEvent({ id }, as);
    return [id];
  },
  "ResendEvent to one endpoint": async (as, { merchant, newDelivery }) => {
    const { eventId: id, endpointId, deliveryId } = await newDelivery();
    await merchant.webhooks.resendEvent({ id, endpointId }, as);
    return [deliveryId];
  },
  ResendDeliveries: async (as, { merchant, newDelivery }) => {
    const { deliveryId } = await newDelivery();
    await merchant.webhooks.resendDeliveries({ deliveryIds: [deliveryId] }, as);
    return [deliveryId];
  },
  SendTestEvent: async (as, { merchant, newEndpoint }) => {
    const endpointId = await newEndpoint();
    await merchant.webhooks.sendTestEvent({ endpointId }, as);
    return [endpointId];
  },
};
