import { Context, Effect, Layer } from "effect"
import type { Operation } from "../../app/access/operation/Operation.ts"
import type { operations } from "../../app/Operations.ts"
import type { Requirement } from "../../domain/access/Policy.ts"
import { Api } from "./Api.ts"
import { metaHandlers } from "./endpoints/access/meta.ts"
import { donationsHandlers } from "./endpoints/giving/donations.ts"
import { donorsHandlers } from "./endpoints/giving/donors.ts"
import { recipientAccountsHandlers } from "./endpoints/sharing/recipientAccounts.ts"
import * as Edge from "./pipeline/Edge.ts"
import type { OwnHandlersOf } from "./pipeline/Handler.ts"
import { makeRoutes } from "./pipeline/Routes.ts"
import type { Documents } from "./server/Documents.ts"

type Groups = (typeof Api)["groups"]

type OwnHandlers = { readonly [G in keyof Groups]?: OwnHandlersOf<Groups[G]> }

/** The handlers of endpoints that add to their operations, or replace them. */
const ownHandlers = Effect.gen(function* () {
  const own: OwnHandlers = {
    meta: yield* metaHandlers,
    donors: yield* donorsHandlers,
    donations: yield* donationsHandlers,
    "recipient-accounts": yield* recipientAccountsHandlers
  }
  return own
})

type ServiceOf<O> =
  O extends Operation<Requirement, infer K, infer _T, infer _G, infer _E, infer _R> ? K["Identifier"] : never

type Offered = typeof operations

type UseCases = {
  [G in keyof Offered]: { [N in keyof Offered[G]]: ServiceOf<Offered[G][N]> }[keyof Offered[G]]
}[keyof Offered]

/** The whole API as one function from request to answer. Hosts give it a server. */
export class HttpService extends Context.Service<
  HttpService,
  { readonly handle: Edge.Handle; readonly unreadable: Edge.Unreadable }
>()("almoner/http/HttpService") {
  /** Serves these documents beside the API. */
  static readonly layer = (documents: Documents) =>
    Layer.effect(
      HttpService,
      Effect.gen(function* () {
        const routes = makeRoutes(Api, yield* Effect.context<UseCases>(), yield* ownHandlers)
        return HttpService.of(yield* Edge.make({ routes, documents }))
      })
    )
}
