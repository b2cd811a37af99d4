import { Effect, Option } from "effect"
import fc from "fast-check"
import { type DonationForm, listing } from "../../domain/giving/DonationForm.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonationFormStore } from "../../ports/giving/DonationFormStore.ts"
import type { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { bookedUnder } from "./Booked.ts"
import { formOf, freshFormId } from "./FormRecords.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, refused, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RevenueCodeStore | DonationFormStore | OrganisationStore | Transaction

const draft = fc
  .tuple(Generators.donationForm, fc.nat(3).map(at), fc.option(fc.nat(3).map(at), { freq: 3 }))
  .map(([form, created_at, archived_at]) => ({ ...form, created_at, archived_at }))

const newForm = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<DonationForm> = {}) {
  const form = yield* formOf(organisation_id, given)
  yield* Effect.orDie((yield* DonationFormStore).insert(form))
  return form
})

const booked = bookedUnder({
  name: "donation forms",
  port: "DonationFormStore",
  make: (organisation_id, { code, id }) => newForm(organisation_id, { revenue_code: code, revenue_code_id: id }),
  find: ({ id, organisation_id }) => DonationFormStore.use((store) => store.find(organisation_id, id)),
  findForUpdate: ({ id, organisation_id }) =>
    DonationFormStore.use((store) => store.findForUpdate(organisation_id, id)),
  update: (form) => Effect.orDie(DonationFormStore.use((store) => store.update(form))),
  list: (organisation_id, query) => DonationFormStore.use((store) => store.list(organisation_id, query))
})

const oneSlugOnce =
  "DonationFormStore MUST fail with AlreadyTaken when another form of the organisation has the slug, archived or not"

const slugs = [
  must("a slug is used once in an organisation, archived or not", [oneSlugOnce], () =>
    Effect.gen(function* () {
      const store = yield* DonationFormStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const holder = yield* newForm(id, { slug: "winter", status: "ARCHIVED", archived_at: at(1) })
      const taken = { _tag: "AlreadyTaken", field: "slug", holder_id: holder.id }
      yield* refused(store.insert(yield* formOf(id, { slug: "winter" })), taken)
      yield* newForm(other.id, { slug: "winter" })
      const second = yield* newForm(id, { slug: "spring" })
      yield* refused(store.update({ ...second, slug: "winter" }), taken)
      same(yield* store.find(id, second.id), Option.some(second))
      const renamed = { ...holder, name: "Winter" }
      yield* store.update(renamed)
      same(yield* store.find(id, holder.id), Option.some(renamed))
    })
  ),

  must("a refusal is no defect: the transaction around it goes on", [oneSlugOnce], () =>
    Effect.gen(function* () {
      const store = yield* DonationFormStore
      const transaction = yield* Transaction
      const { id } = yield* newOrganisation()
      yield* newForm(id, { slug: "winter" })
      const rival = yield* formOf(id, { slug: "winter" })
      const next = yield* formOf(id, { slug: "winter-2" })
      yield* transaction.run(
        Effect.gen(function* () {
          yield* Effect.flip(store.insert(rival))
          yield* store.insert(next)
          yield* Effect.flip(store.update({ ...next, slug: "winter" }))
        })
      )
      same(yield* store.find(id, next.id), Option.some(next))
    })
  ),

  law("slugs that are taken are those of the organisation's forms, archived or not", () =>
    Effect.gen(function* () {
      const store = yield* DonationFormStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      yield* newForm(id, { slug: "winter" })
      yield* newForm(id, { slug: "spring", status: "ARCHIVED", archived_at: at(1) })
      yield* newForm(id, { slug: "autumn" })
      yield* newForm(other.id, { slug: "summer" })
      same((yield* store.takenSlugs(id, ["spring", "summer", "winter", "wint"])).toSorted(), ["spring", "winter"])
      same(yield* store.takenSlugs(id, []), [])
    })
  )
]

/**
 * The laws of {@link DonationFormStore}.
 */
export const donationForms = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a form is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.donationForm, Generators.donationForm),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* DonationFormStore
          const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const form = yield* newForm(id, { ...given, id: yield* freshFormId, organisation_id: id })
          same(yield* store.find(id, form.id), Option.some(form))
          none(yield* store.find(other.id, form.id))
          none(yield* store.findForUpdate(other.id, form.id))
          const changed = { ...next, id: form.id, organisation_id: id }
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* store.findForUpdate(id, form.id), Option.some(form))
          yield* store.update(changed)
          same(yield* store.find(id, form.id), Option.some(changed))
        })
      )
  ),

  ...lists(
    {
      name: "donation forms",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, given, index) {
        return yield* newForm(organisation_id, {
          ...given,
          id: yield* freshFormId,
          organisation_id,
          slug: `${index} ${given.slug}`
        })
      }),
      list: (organisation_id, query) => DonationFormStore.use((store) => store.list(organisation_id, query)),
      columns: (form) => form,
      archived: (form) => form.archived_at !== null
    },
    runsOf(given)
  ),

  holding({
    name: "a form",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* newForm(id, { description: "0" })
    }),
    findForUpdate: ({ id, organisation_id }: DonationForm) =>
      DonationFormStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (form) => DonationFormStore.use((store) => store.update(form)),
    count: ({ description }) => Number(description),
    counted: (form, count) => ({ ...form, description: `${count}` })
  }),

  booked,
  ...slugs
]
