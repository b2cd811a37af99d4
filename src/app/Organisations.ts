import { Context, DateTime, Effect, Layer } from "effect"
import type { Caller } from "../domain/Caller.ts"
import type { OrganisationId } from "../domain/Ids.ts"
import type { ListQuery } from "../domain/Listing.ts"
import { type Organisation, type OrganisationPatch, sandboxSuffix } from "../domain/Organisation.ts"
import type { Plan } from "../domain/Plan.ts"
import { InvalidInput } from "../domain/Rejection.ts"
import { nameOrNull } from "../domain/Text.ts"
import { CurrentCaller } from "../ports/CurrentCaller.ts"
import { LinkedOrganisationStore } from "../ports/LinkedOrganisationStore.ts"
import { OrganisationStore } from "../ports/OrganisationStore.ts"
import { Tokens } from "../ports/Tokens.ts"
import { Transaction } from "../ports/Transaction.ts"
import { orNotFound } from "./steps/Finding.ts"
import { Journal } from "./steps/Journal.ts"
import { KeyCache } from "./steps/KeyCache.ts"
import { permitted, permittedToStaff } from "./steps/Permission.ts"

/** Who makes an organisation: it has no caller of its own before it is there. */
export type Operator = Pick<Caller, "actor" | "request_id">

/** What an operator gives to make an organisation. */
export interface NewOrganisation {
  readonly slug: string
  readonly name: string
  readonly timezone: string
  readonly default_currency: string
  readonly plan: Plan
  /** Networks opened to the sandbox twin's webhooks, CIDR. */
  readonly sandbox_webhook_cidrs: ReadonlyArray<string>
}

/** Makes and keeps organisations. decisions, section 4: Organisations; section 9. */
export class Organisations extends Context.Service<Organisations>()("almoner/app/Organisations", {
  make: Effect.gen(function* () {
    const store = yield* OrganisationStore
    const linked = yield* LinkedOrganisationStore
    const cache = yield* KeyCache
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const insert = Effect.fnUntraced(function* (input: NewOrganisation, operator: Operator, is_sandbox: boolean) {
      const at = yield* DateTime.now
      const organisation: Organisation = {
        id: yield* tokens.id("organisation"),
        slug: is_sandbox ? input.slug + sandboxSuffix : input.slug,
        name: input.name,
        is_sandbox,
        timezone: input.timezone,
        default_currency: input.default_currency,
        abn: null,
        website_url: null,
        plan: input.plan,
        webhook_allowed_cidrs: is_sandbox ? input.sandbox_webhook_cidrs : [],
        created_at: at,
        updated_at: at
      }
      yield* store.insert(organisation)
      yield* journal
        .write({ operation: "organisations.create", subject_id: organisation.id, at, events: [] })
        .pipe(Effect.provideService(CurrentCaller, { ...operator, organisation, scope: "WRITE" }))
      return organisation
    })

    /** Makes an organisation with its sandbox twin. Fails with {@link AlreadyTaken} when a slug is in use. For operators. */
    const create = Effect.fn("Organisations.create")(function* (input: NewOrganisation, operator: Operator) {
      const live = yield* insert(input, operator, false)
      const sandbox = yield* insert(input, operator, true)
      return { live, sandbox }
    }, transaction.run)

    /** All organisations, oldest first. For operators. */
    const all = store.all

    const findBySlug = Effect.fn("Organisations.findBySlug")(function* (slug: string) {
      return yield* store.findBySlug(slug).pipe(orNotFound("organisation", slug))
    })

    const ownForUpdate = Effect.fnUntraced(function* (organisation: Organisation) {
      return yield* store.findForUpdate(organisation.id).pipe(orNotFound("organisation", organisation.id))
    })

    /** Sets the plan of the caller's organisation. For operators. */
    const setPlan = Effect.fn("Organisations.setPlan")(function* (plan: Plan) {
      const { organisation } = yield* permittedToStaff("organisations.set_plan")
      const before = yield* ownForUpdate(organisation)
      const at = yield* DateTime.now
      const after: Organisation = { ...before, plan, updated_at: at }
      yield* store.update(after)
      yield* journal.write({ operation: "organisations.set_plan", subject_id: after.id, at, events: [] })
      yield* transaction.afterCommit(cache.forget)
      return after
    }, transaction.run)

    const readOwn = Effect.fn("Organisations.readOwn")(function* () {
      const { organisation } = yield* permitted("organisations.read_own")
      return yield* store.find(organisation.id).pipe(orNotFound("organisation", organisation.id))
    })

    /** Changes name, timezone, ABN or website. A new timezone moves no gift: gifts keep their calendar day. */
    const updateOwn = Effect.fn("Organisations.updateOwn")(function* (patch: OrganisationPatch) {
      const { organisation } = yield* permitted("organisations.update_own")
      const before = yield* ownForUpdate(organisation)
      const name = patch.name === undefined ? before.name : nameOrNull(patch.name)
      if (name === null) return yield* new InvalidInput({ param: "name", message: "name must not be empty." })
      const at = yield* DateTime.now
      const edited: Organisation = { ...before, ...patch, name }
      const changed = Object.keys(patch).length > 0
      const after: Organisation = changed ? { ...edited, updated_at: at } : before
      if (changed) yield* store.update(after)
      yield* journal.write({ operation: "organisations.update_own", subject_id: after.id, at, events: [] })
      yield* transaction.afterCommit(cache.forget)
      return after
    }, transaction.run)

    /** The organisations that the caller's has active links to. */
    const listLinked = Effect.fn("Organisations.listLinked")(function* (query: ListQuery) {
      const { organisation } = yield* permitted("organisations.list")
      return yield* linked.list(organisation.id, query)
    })

    const readLinked = Effect.fn("Organisations.readLinked")(function* (id: OrganisationId) {
      const { organisation } = yield* permitted("organisations.read")
      return yield* linked.find(organisation.id, id).pipe(orNotFound("linked organisation", id))
    })

    return { create, all, findBySlug, setPlan, readOwn, updateOwn, listLinked, readLinked } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
