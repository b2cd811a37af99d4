import { Effect } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"

/** Makes an organisation that runs in Sydney, and its sandbox, by the use case. */
export const harbourTrust = Organisations.use((organisations) =>
  Effect.orDie(
    organisations.create(
      {
        slug: "harbour",
        name: "Harbour Trust",
        timezone: "Australia/Sydney",
        default_currency: "AUD",
        plan: "RAISE",
        sandbox_webhook_cidrs: []
      },
      { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" }
    )
  )
)
