import { Context, Effect, Layer } from "effect"
import { staffReads } from "../../domain/access/Policy.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { listing } from "../../domain/kernel/Mail.ts"
import { MailOutbox } from "../../ports/kernel/MailOutbox.ts"
import { checked } from "../access/steps/Checked.ts"
import { query } from "../access/steps/Operation.ts"
import { permittedToStaff } from "../access/steps/Permission.ts"

/** The scope and plan that each operation requires. decisions, section 3. */
export const asks = {
  list: staffReads("mails.list")
}

/** What each use case takes: the service refuses anything else. */
export const takes = {
  list: [query(listing)]
} as const

/**
 * Reads the mails of an organisation: what was sent, what waits and why. They hold no address and no text.
 * docs/decisions/0027.
 */
export class Mails extends Context.Service<Mails>()("almoner/app/Mails", {
  make: Effect.gen(function* () {
    const outbox = yield* MailOutbox

    /** A page of mails, newest first. For operators. */
    const list = Effect.fn("Mails.list")(function* (query: ListQuery) {
      const { organisation } = yield* permittedToStaff(asks.list)
      return yield* outbox.list(organisation.id, query)
    })

    return checked(asks, takes, { list })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
