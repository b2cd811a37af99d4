/** Organisations as their callers know them: the id, the headers with a key of the sandbox, and donors. */
import { command } from "./Program.mjs"
import { bearer, post } from "./Requests.mjs"

/** Endpoints that an organisation may have. */
export const endpointsMost = 20

/** Gifts are spread over so many donors: those of a single one would wait for each other. */
const donors = 20

/** Whom a key belongs to, with donors that are made for it. */
export async function tenantOf(baseUrl, key) {
  const headers = bearer(key)
  const donorIds = []
  for (let n = 0; n < donors; n++) {
    const donor = { donor_type: "INDIVIDUAL", first_name: "Ada", last_name: `Okafor ${n}` }
    donorIds.push((await post(baseUrl, "/api/v1/donors", headers, donor)).id)
  }
  const { organisation_id } = await (await fetch(`${baseUrl}/api/v1/whoami`, { headers })).json()
  return { organisationId: organisation_id, headers, donorIds }
}

/** Makes an organisation by the command line, beside the server at `baseUrl`, and gives its sandbox. */
export async function createTenant({ baseUrl, databaseUrl, slug }) {
  const facts = ["--name", slug, "--timezone", "Australia/Sydney", "--default-currency", "AUD", "--plan", "ENTERPRISE"]
  await command(databaseUrl, "organisation", "create", "--slug", slug, ...facts)
  const key = ["--organisation", `${slug}-sandbox`, "--name", "Harness", "--scope", "WRITE"]
  return tenantOf(baseUrl, (await command(databaseUrl, "key", "create", ...key)).secret)
}
