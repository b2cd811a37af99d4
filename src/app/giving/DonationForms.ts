import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { Operation } from "../../domain/access/Policy.ts"
import * as DonationForm from "../../domain/giving/DonationForm.ts"
import {
  brokenRule,
  type DonationFormPatch,
  type NewDonationForm,
  type Settings,
  settingsOf
} from "../../domain/giving/FormSettings.ts"
import type { DonationFormId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Machine from "../../domain/kernel/Machine.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { DonationFormStore } from "../../ports/giving/DonationFormStore.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { Journal } from "../access/steps/Journal.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound, refuseArchived } from "../kernel/steps/Finding.ts"
import { makeBooking } from "./steps/Booking.ts"
import { makeFormSlugs } from "./steps/FormSlugs.ts"

type Form = DonationForm.DonationForm

const record = "donation form"

/** Where commands lead, one after the other, and what they emit: each event once. */
const follow = (form: Form, commands: ReadonlyArray<DonationForm.Command>) => {
  let decision: Machine.Decision<Form, DonationForm.DonationFormEvent> = { state: form, events: [] }
  for (const command of commands) {
    const next = Machine.decide(DonationForm.machine, decision.state, command)
    if (Result.isFailure(next)) return Effect.fail(next.failure)
    const events = new Set([...decision.events, ...next.success.events])
    decision = { state: next.success.state, events: [...events] }
  }
  return Effect.succeed(decision)
}

const obeyed = (settings: Settings, given: object): Effect.Effect<void, InvalidInput> => {
  const broken = brokenRule(settings, Object.keys(given))
  return broken === null ? Effect.void : Effect.fail(broken)
}

/** Makes the pages that donors give through. decisions, section 4: Forms. */
export class DonationForms extends Context.Service<DonationForms>()("almoner/app/DonationForms", {
  make: Effect.gen(function* () {
    const store = yield* DonationFormStore
    const booking = yield* makeBooking
    const slugs = yield* makeFormSlugs
    const template = yield* PublicUrlTemplate
    const journal = yield* Journal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const urlOf = (form: Form, { slug }: Organisation): string => publicUrl(template, slug, DonationForm.pagePath(form))

    const shown = (form: Form, organisation: Organisation) => DonationForm.recordOf(form, urlOf(form, organisation))

    const tell = (
      operation: Operation,
      form: Form,
      organisation: Organisation,
      events: ReadonlyArray<DonationForm.DonationFormEvent>,
      at: DateTime.Utc
    ) => {
      const data = DonationForm.eventDataOf(form, urlOf(form, organisation))
      return journal.write({ operation, subject_id: form.id, at, events: events.map((type) => ({ type, data })) })
    }

    const insert = Effect.fnUntraced(function* (form: Form): Effect.fn.Return<Form> {
      const named = { ...form, slug: yield* slugs.free(form, form.name, null) }
      return yield* store.insert(named).pipe(
        Effect.as(named),
        Effect.catchTag("AlreadyTaken", () => insert(form))
      )
    })

    /**
     * Makes a form, and activates it where `status` says so. Fails with {@link InvalidInput} for settings that break a rule
     * of forms, and for an unknown revenue code.
     */
    const create = Effect.fn("DonationForms.create")(function* (input: NewDonationForm) {
      const { organisation } = yield* permitted("forms.create")
      const at = yield* DateTime.now
      const settings = settingsOf(input)
      yield* obeyed(settings, input)
      const draft: Form = {
        ...settings,
        ...(yield* booking.book(organisation.id, input)),
        id: yield* tokens.id("donationForm"),
        organisation_id: organisation.id,
        slug: "",
        status: "DRAFT",
        embed_token: yield* tokens.base62(DonationForm.embedTokenDigits),
        activated_at: null,
        created_at: at,
        updated_at: at,
        archived_at: null
      }
      const { events, state } = yield* follow(draft, input.status === "ACTIVE" ? [{ _tag: "Activate", at }] : [])
      const form = yield* insert(state)
      yield* tell("forms.create", form, organisation, ["donation_form.created", ...events], at)
      return shown(form, organisation)
    }, transaction.run)

    const read = Effect.fn("DonationForms.read")(function* (id: DonationFormId) {
      const { organisation } = yield* permitted("forms.read")
      const form = yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
      return shown(form, organisation)
    })

    const list = Effect.fn("DonationForms.list")(function* (query: ListQuery) {
      const { organisation } = yield* permitted("forms.list")
      const page = yield* store.list(organisation.id, query)
      return { ...page, data: page.data.map((form) => shown(form, organisation)) }
    })

    const findForUpdate = Effect.fnUntraced(function* (operation: Operation, id: DonationFormId) {
      const { organisation } = yield* permitted(operation)
      const form = yield* store.findForUpdate(organisation.id, id).pipe(orNotFound(record, id))
      return { form, organisation }
    })

    /** While the slug is open it follows the name. */
    const named = Effect.fnUntraced(function* (form: Form, changes: DonationForm.Changes) {
      if (changes.name === undefined || !DonationForm.isSlugOpen(form)) return changes
      const withSlug: DonationForm.Changes = { ...changes, slug: yield* slugs.free(form, changes.name, form.slug) }
      return withSlug
    })

    const write = Effect.fnUntraced(function* (
      form: Form,
      settings: DonationForm.Changes,
      moves: ReadonlyArray<DonationForm.Command>,
      at: DateTime.Utc
    ): Effect.fn.Return<Effect.Success<ReturnType<typeof follow>>, Effect.Error<ReturnType<typeof follow>>> {
      const changes = yield* named(form, settings)
      const change: DonationForm.Command = { _tag: "Change", at, changes }
      const decision = yield* follow(form, Object.keys(changes).length === 0 ? moves : [change, ...moves])
      if (decision.state === form) return decision
      return yield* store.update(decision.state).pipe(
        Effect.as(decision),
        Effect.catchTag("AlreadyTaken", () => write(form, settings, moves, at))
      )
    })

    /**
     * Changes settings, and moves the form to `status`; a patch that changes nothing emits nothing. Fails with
     * {@link RecordArchived} after archiving, with {@link IllegalTransition} where no row leads to the status, and with
     * {@link InvalidInput} as {@link create} does.
     */
    const update = Effect.fn("DonationForms.update")(function* (id: DonationFormId, patch: DonationFormPatch) {
      const { form, organisation } = yield* findForUpdate("forms.update", id)
      yield* refuseArchived(record, form)
      const at = yield* DateTime.now
      const { status = form.status, revenue_code: _, revenue_code_id: __, ...given } = patch
      const booked = yield* booking.rebook(organisation.id, patch)
      const changes = DonationForm.changesOf(form, { ...given, ...booked })
      yield* obeyed({ ...form, ...changes }, patch)
      const move = yield* Effect.fromResult(DonationForm.moveTo(form, status, at))
      const { events, state } = yield* write(form, changes, Option.toArray(move), at)
      yield* tell("forms.update", state, organisation, events, at)
      return shown(state, organisation)
    }, transaction.run)

    /** Archives a form. A repetition leaves the record as it is, and is audited and emitted again. */
    const archive = Effect.fn("DonationForms.archive")(function* (id: DonationFormId) {
      const { form, organisation } = yield* findForUpdate("forms.archive", id)
      const at = yield* DateTime.now
      const { state } = yield* follow(form, form.archived_at === null ? [{ _tag: "Archive", at }] : [])
      // The slug does not change, so it cannot be taken.
      if (state !== form) yield* Effect.orDie(store.update(state))
      yield* tell("forms.archive", state, organisation, ["donation_form.archived"], at)
      return shown(state, organisation)
    }, transaction.run)

    return { create, read, list, update, archive } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
