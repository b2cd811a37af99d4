import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { WebhookEndpointId } from "../../../src/domain/kernel/Ids.ts"
import { plainText } from "../../../src/domain/kernel/MailContent.ts"
import { type EndpointDisabledMail, endpointDisabledMail } from "../../../src/domain/outbox/EndpointDisabledMail.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { forEvery } from "../../support/Property.ts"

const typed = fc
  .array(fc.constantFrom("Ledger", " ", "\n", "<b>", "&amp;", '"', "\u0007"), { maxLength: 6 })
  .map((parts) => parts.join(""))

const said: fc.Arbitrary<EndpointDisabledMail> = fc.record({
  id: arbitraryOf(WebhookEndpointId),
  description: fc.option(typed),
  url: fc.constantFrom("https://hooks.example.org/in?token=secret", "https://hooks.example.org:8443/secret"),
  organisation: typed.map((name) => ({ name: `Harbour ${name}`, timezone: "Australia/Sydney" })),
  disabled_at: fc.constant(DateTime.makeUnsafe("2026-03-06T01:02:00Z"))
})

/** A typed text as it stands in a sentence. */
const onOneLine = (text: string): string => text.replaceAll("\u0007", " ").replace(/\s+/g, " ").trim()

it("the mail of an endpoint that the service disabled says which one, since when and what to do, on one line each", () =>
  forEvery(said, (given) => {
    const content = endpointDisabledMail(given)
    const text = plainText(content)
    const purpose = onOneLine(given.description ?? "")
    const organisation = onOneLine(given.organisation.name)
    assert.strictEqual(content.subject, `A webhook endpoint of ${organisation} was disabled`)
    const { host } = new URL(given.url)
    const named = purpose === "" ? given.id : `${given.id} (${purpose})`
    const sentences = [
      `The webhook endpoint ${named} of ${organisation}, at ${host}, was disabled on 6 March 2026 at 12:02 pm AEDT.`,
      "Every delivery to it had failed for 5 days. Deliveries that were still waiting have ended.",
      "When the receiver answers again, set is_active to true on the endpoint, and replay the deliveries that failed. What happens while it is disabled is recorded and has no deliveries: read it from the list of events, from this time on."
    ]
    assert.strictEqual(text, `${sentences.join("\n\n")}\n\n`)
    assert.notInclude(text, "secret")
  }))
