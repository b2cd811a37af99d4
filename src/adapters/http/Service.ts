import { Context, Effect, Layer } from "effect"
import { Api } from "./Api.ts"
import { campaignsHandlers } from "./handlers/campaigns.ts"
import { checkoutLinksHandlers } from "./handlers/checkoutLinks.ts"
import { contactLogsHandlers } from "./handlers/contactLogs.ts"
import { donationsHandlers } from "./handlers/donations.ts"
import { donorsHandlers } from "./handlers/donors.ts"
import { formsHandlers } from "./handlers/forms.ts"
import { intelligenceHandlers } from "./handlers/intelligence.ts"
import { introductionsHandlers } from "./handlers/introductions.ts"
import { metaHandlers } from "./handlers/meta.ts"
import { organisationsHandlers } from "./handlers/organisations.ts"
import { recipientAccountsHandlers } from "./handlers/recipientAccounts.ts"
import { recommendationSetsHandlers } from "./handlers/recommendationSets.ts"
import { revenueCodesHandlers } from "./handlers/revenueCodes.ts"
import { webhooksHandlers } from "./handlers/webhooks.ts"
import * as Edge from "./pipeline/Edge.ts"
import type { HandlersOf } from "./pipeline/Handler.ts"
import { makeRoutes } from "./pipeline/Routes.ts"
import type { Documents } from "./server/Documents.ts"

type Groups = (typeof Api)["groups"]

/** Handlers of every group of the API: a group that is forgotten does not compile. */
type AllHandlers = { readonly [G in keyof Groups]: HandlersOf<Groups[G]> }

const handlers = Effect.gen(function* () {
  const all: AllHandlers = {
    meta: yield* metaHandlers,
    organisations: yield* organisationsHandlers,
    donors: yield* donorsHandlers,
    "contact-logs": yield* contactLogsHandlers,
    donations: yield* donationsHandlers,
    "revenue-codes": yield* revenueCodesHandlers,
    forms: yield* formsHandlers,
    "checkout-links": yield* checkoutLinksHandlers,
    "recommendation-sets": yield* recommendationSetsHandlers,
    "recipient-accounts": yield* recipientAccountsHandlers,
    introductions: yield* introductionsHandlers,
    campaigns: yield* campaignsHandlers,
    intelligence: yield* intelligenceHandlers,
    webhooks: yield* webhooksHandlers
  }
  return all
})

/** The whole API as one function from request to answer. Hosts give it a server. */
export class HttpService extends Context.Service<
  HttpService,
  { readonly handle: Edge.Handle; readonly unreadable: Edge.Unreadable }
>()("almoner/http/HttpService") {
  /** With the documents that are served beside the API. */
  static readonly layer = (documents: Documents) =>
    Layer.effect(
      HttpService,
      Effect.gen(function* () {
        const routes = makeRoutes(Api, yield* handlers)
        return HttpService.of(yield* Edge.make({ routes, documents }))
      })
    )
}
