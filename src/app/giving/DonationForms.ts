import { type DateTime, Effect, Option } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import * as DonationForm from "../../domain/giving/DonationForm.ts"
import { DonationFormRecord, listing } from "../../domain/giving/DonationForm.ts"
import {
  brokenRule,
  DonationFormPatch,
  NewDonationForm,
  type Settings,
  settingsOf,
  slugOf
} from "../../domain/giving/FormSettings.ts"
import { DonationFormId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import { birth, type Decision, decide } from "../../domain/kernel/Machine.ts"
import { publicUrl } from "../../domain/kernel/PublicAddress.ts"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"
import { DonationFormStore } from "../../ports/giving/DonationFormStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { PublicUrlTemplate } from "../../ports/kernel/PublicUrlTemplate.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { keptIn, type LockedRecord, makeChange } from "../access/change/Change.ts"
import { body, id, operationsOf } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound, refuseArchived } from "../kernel/store/RecordChecks.ts"
import { makeRevenueCodeLookup } from "./donation/RevenueCodeLookup.ts"
import { makeFreeSlug } from "./form/FreeSlug.ts"

/** Finds slugs for forms. decisions, section 4: Forms. */
const makeFormSlugs = Effect.map(DonationFormStore, (store) => ({
  /** The first slug for the name that no other form has now; a form may keep `own`. */
  free: ({ organisation_id }: Pick<DonationForm.DonationForm, "organisation_id">, name: string, own: string | null) =>
    makeFreeSlug((slugs) => store.takenSlugs(organisation_id, slugs))(slugOf(name), own)
}))

type Form = DonationForm.DonationForm

const record = "donation form"

const obeyed = (settings: Settings, given: object): Effect.Effect<void, InvalidInput> => {
  const broken = brokenRule(settings, Object.keys(given))
  return broken === null ? Effect.void : Effect.fail(broken)
}

const formId = id(DonationFormId, "donation form")

const operations = Row.table("forms", {
  create: Row.change("Make a form", [body(NewDonationForm, DonationFormRecord)], DonationFormRecord),
  read: Row.read("Read a form", [formId], DonationFormRecord),
  list: Row.list("List forms", listing, DonationFormRecord),
  update: Row.change("Change a form", [formId, body(DonationFormPatch, DonationFormRecord)], DonationFormRecord),
  archive: Row.end("Archive a form", [formId], DonationFormRecord)
})

/** Makes the pages that donors give through. decisions, section 4: Forms. */
export class DonationForms extends Service<DonationForms>()("almoner/app/DonationForms", function* () {
  const store = yield* DonationFormStore
  const booking = yield* makeRevenueCodeLookup
  const slugs = yield* makeFormSlugs
  const template = yield* PublicUrlTemplate
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const urlOf = (form: Form, { slug }: Organisation): string => publicUrl(template, slug, DonationForm.pagePath(form))

  const shown = (form: Form, organisation: Organisation) => DonationForm.recordOf(form, urlOf(form, organisation))

  const change = (yield* makeChange)({
    machine: DonationForm.machine,
    ...keptIn(record, store),
    refuseEnded: (form) => refuseArchived(record, form),
    tell: (types, form, { organisation }) => {
      const data = DonationForm.eventDataOf(form, urlOf(form, organisation))
      return types.map((type) => ({ type, data }))
    },
    tellsOnce: true
  })

  const insert = Effect.fnUntraced(function* (form: Form): Effect.fn.Return<Form> {
    const named = { ...form, slug: yield* slugs.free(form, form.name, null) }
    return yield* store.insert(named).pipe(
      Effect.as(named),
      Effect.catchTag("AlreadyTaken", () => insert(form))
    )
  })

  const activated = (
    { events, state }: Pick<Decision<Form, DonationForm.DonationFormEvent>, "state" | "events">,
    at: DateTime.Utc
  ) =>
    Effect.map(Effect.fromResult(decide(DonationForm.machine, state, { _tag: "Activate", at })), (decision) => ({
      state: decision.state,
      events: [...events, ...decision.events]
    }))

  /**
   * Makes a form, and activates it where `status` says so. Fails with {@link InvalidInput} for settings that break a rule
   * of forms, and for an unknown revenue code.
   */
  const create = Effect.fn("DonationForms.create")(function* (input: NewDonationForm) {
    const { organisation } = yield* requireScope(operations.create)
    const at = yield* organisationNow
    const settings = settingsOf(input)
    yield* obeyed(settings, input)
    const booked = yield* booking.book(organisation.id, input)
    const id = yield* tokens.id("donationForm")
    const embed_token = yield* tokens.base62(DonationForm.embedTokenDigits)
    const draft = birth(
      DonationForm.machine,
      DonationForm.births.made,
      (status): Form => ({
        ...settings,
        ...booked,
        id,
        organisation_id: organisation.id,
        slug: "",
        status,
        embed_token,
        activated_at: null,
        created_at: at,
        updated_at: at,
        archived_at: null
      })
    )
    const { events, state } = input.status === "ACTIVE" ? yield* activated(draft, at) : draft
    const form = yield* insert(state)
    yield* change.announce(operations.create.requires.name, { state: form, events }, { organisation, at })
    return shown(form, organisation)
  }, transaction.run)

  const read = Effect.fn("DonationForms.read")(function* (id: DonationFormId) {
    const { organisation } = yield* requireScope(operations.read)
    const form = yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
    return shown(form, organisation)
  })

  const list = Effect.fn("DonationForms.list")(function* (query: ListQuery) {
    const { organisation } = yield* requireScope(operations.list)
    const page = yield* store.list(organisation.id, query)
    return { ...page, data: page.data.map((form) => shown(form, organisation)) }
  })

  /** Adds the slug that follows from a new name, while the slug is open. */
  const named = Effect.fnUntraced(function* (form: Form, changes: DonationForm.Changes) {
    if (changes.name === undefined || !DonationForm.isSlugOpen(form)) return changes
    const withSlug: DonationForm.Changes = { ...changes, slug: yield* slugs.free(form, changes.name, form.slug) }
    return withSlug
  })

  const commandsFor = Effect.fnUntraced(function* (
    { at, before, organisation }: LockedRecord<Form>,
    patch: DonationFormPatch
  ) {
    const { status = before.status, revenue_code: _, revenue_code_id: __, ...given } = patch
    const booked = yield* booking.rebook(organisation.id, patch)
    const settings = DonationForm.changesOf(before, { ...given, ...booked })
    yield* obeyed({ ...before, ...settings }, patch)
    const move = Option.toArray(yield* Effect.fromResult(DonationForm.moveTo(before, status, at)))
    const changes = yield* named(before, settings)
    const commands: ReadonlyArray<DonationForm.Command> =
      Object.keys(changes).length === 0 ? move : [{ _tag: "Change", at, changes }, ...move]
    return commands
  })

  /**
   * Changes settings, and moves the form to `status`; a patch that changes nothing emits nothing. Fails with {@link
   * RecordArchived} after archiving, with {@link IllegalTransition} where no row leads to the status, and with {@link
   * InvalidInput} as {@link create} does.
   */
  const update = Effect.fn("DonationForms.update")(function* (id: DonationFormId, patch: DonationFormPatch) {
    const { organisation, state } = yield* change
      .revise(operations.update, id, (held) => commandsFor(held, patch))
      .pipe(
        // Another form took the slug meanwhile: the next free one is tried.
        Effect.retry({ while: ({ _tag }) => _tag === "AlreadyTaken" }),
        Effect.catchTag("AlreadyTaken", Effect.die)
      )
    return shown(state, organisation)
  }, transaction.run)

  /** Archives a form. Repeating it leaves the record as it is, but is audited and emitted again. */
  const archive = Effect.fn("DonationForms.archive")(function* (id: DonationFormId) {
    const archived = change.perform(operations.archive, id, (at) => ({ _tag: "Archive", at }), {
      repeat: "told again"
    })
    // The slug does not change, so it cannot be taken.
    const { organisation, state } = yield* Effect.catchTag(archived, "AlreadyTaken", Effect.die)
    return shown(state, organisation)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { create, read, list, update, archive })
}) {}

/** The operations of {@link DonationForms}. */
export const donationFormOperations = operationsOf(DonationForms, operations)
