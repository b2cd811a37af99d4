export { ApiKey, ApiKeyRecord, births, Command, DisclosedApiKey, machine, Scope } from "../domain/access/ApiKey.ts"
