import type { OperationName } from "../../../app/Operations.ts"
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
export const examples: Readonly<Record<OperationName | "meta.whoami", Example>> = {
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

const byName: ReadonlyMap<string, Example> = new Map(Object.entries(examples))

/** The example of an operation. */
export const exampleOf = (name: string): Example => byName.get(name) ?? { answer: undefined }

/** The example of the one operation that needs no key. */
export const healthExample = (version: string): Example => ({
  answer: { status: "ok", version, request_id: idOf("request") }
})
