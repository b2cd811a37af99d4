export { DisclosedIntegration, Integration, IntegrationRecord, NewIntegration } from "../domain/access/Integration.ts"
