import { Effect, Option, Result } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { publicUrl } from "../../../domain/kernel/PublicAddress.ts"
import { OrganisationStore } from "../../../ports/access/OrganisationStore.ts"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"
import { PaymentProcessors } from "../../../ports/payments/PaymentProcessors.ts"

/**
 * Has the processor of an account know the host of its organisation's pages, so that wallets are offered there; a wallet that is
 * not is logged with the reason. Browsers offer none without https. pages, section 2: Wallets.
 */
export const makePageDomains = Effect.gen(function* () {
  const organisations = yield* OrganisationStore
  const processors = yield* PaymentProcessors
  const template = yield* PublicUrlTemplate

  return Effect.fnUntraced(function* (integration: Integration) {
    const { organisation_id } = integration
    const processor = Option.getOrUndefined(processors.find(integration.processor))
    const organisation = yield* organisations.find(organisation_id)
    const page = Option.map(organisation, ({ slug }) => new URL(publicUrl(template, slug, "/")))
    if (processor?.registerDomain === undefined || Option.isNone(page) || page.value.protocol !== "https:") return
    const { hostname } = page.value
    const answer = yield* Effect.result(processor.registerDomain(integration, hostname))
    const refused = Result.isSuccess(answer) ? answer.success : [{ wallet: "Wallets", reason: answer.failure.message }]
    for (const { reason, wallet } of refused) {
      yield* Effect.logWarning(`${wallet} of ${integration.id} is not offered on ${hostname}: ${reason}`)
    }
  })
})
