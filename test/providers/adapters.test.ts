import { testAdapter } from "./adapter.ts";
import { playApiPix, playReports } from "./play-api-pix.ts";
import { playAsaas, playAsaasCheckouts } from "./play-asaas.ts";
import { playExample } from "./play-example.ts";
import { playPagarme } from "./play-pagarme.ts";
import { playSandbox } from "./play-sandbox.ts";

await testAdapter("the sandbox", playSandbox);
await testAdapter("the API Pix", playApiPix);
await testAdapter("Efí by its reports", playReports);
await testAdapter("Asaas", playAsaas);
await testAdapter("Asaas by its checkouts", playAsaasCheckouts);
await testAdapter("Pagar.me", playPagarme);
await testAdapter("the example", playExample);
