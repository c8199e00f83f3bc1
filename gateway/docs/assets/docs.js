// Shows the document with Swagger UI.
const { SwaggerUIBundle } = globalThis;

SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.querySelector("#docs"),
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  // Swagger's own badge would ask another host.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
});
