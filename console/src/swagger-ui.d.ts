/** What is used of swagger-ui-dist, which comes without types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  export default function SwaggerUi(options: {
    readonly dom_id: string;
    readonly spec: object;
    readonly deepLinking: boolean;
    readonly validatorUrl: null;
  }): unknown;
}
