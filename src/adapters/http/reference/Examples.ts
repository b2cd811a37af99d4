import type { Operation } from "../../../domain/access/Policy.ts"
import { campaignExamples } from "./examples/campaigns.ts"
import { checkoutLinkExamples } from "./examples/checkoutLinks.ts"
import { contactLogExamples } from "./examples/contactLogs.ts"
import { donationExamples } from "./examples/donations.ts"
import { donorExamples } from "./examples/donors.ts"
import type { Example } from "./examples/Example.ts"
import { formExamples } from "./examples/forms.ts"
import { intelligenceExamples } from "./examples/intelligence.ts"
import { introductionExamples } from "./examples/introductions.ts"
import { organisation, organisationExamples } from "./examples/organisations.ts"
import { recipientAccountExamples } from "./examples/recipientAccounts.ts"
import { recommendationSetExamples } from "./examples/recommendationSets.ts"
import { revenueCodeExamples } from "./examples/revenueCodes.ts"
import { webhookExamples } from "./examples/webhooks.ts"
import { idOf } from "./Samples.ts"

export { deliveredBody } from "./examples/webhooks.ts"

/** A request and its answer for every operation: one that is forgotten does not compile. */
export const examples: Readonly<Record<Operation, Example>> = {
  "meta.whoami": { answer: { organisation_id: organisation.id, scope: "WRITE" } },
  ...organisationExamples,
  ...donorExamples,
  ...contactLogExamples,
  ...donationExamples,
  ...revenueCodeExamples,
  ...formExamples,
  ...checkoutLinkExamples,
  ...recommendationSetExamples,
  ...recipientAccountExamples,
  ...introductionExamples,
  ...campaignExamples,
  ...intelligenceExamples,
  ...webhookExamples
}

/** The example of the one operation that needs no key. */
export const healthExample = (version: string): Example => ({
  answer: { status: "ok", version, request_id: idOf("request") }
})
