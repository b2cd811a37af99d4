/** What donors give through: an account at the test processor, and a form of the service's sandbox. */
import { command } from "../harness/Program.mjs"

/** Opens both beside a running service. Gives `{ organisation, form, integrationId }`, of which the first two are slugs. */
export async function openGivingSetup({ baseUrl, headers, post }, databaseUrl) {
  const answer = await fetch(`${baseUrl}/api/v1/organisations/me`, { headers })
  if (!answer.ok) throw new Error(`GET /organisations/me: ${answer.status}`)
  const { slug: organisation } = await answer.json()
  const account = ["--organisation", organisation, "--label", "Main", "--processor-connect-account", "acct_bench"]
  const { id } = await command(databaseUrl, "integration", "create", ...account)
  const form = {
    name: "Bench",
    status: "ACTIVE",
    suggested_amounts_cents: [5_000],
    allow_recurring: true,
    recurring_frequencies: ["WEEKLY"]
  }
  return { organisation, form: (await post("/api/v1/forms", form)).slug, integrationId: id }
}
