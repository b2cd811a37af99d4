import { Effect, Option } from "effect"
import fc from "fast-check"
import { Kind, listing, type PaymentException, Status } from "../../domain/payments/PaymentException.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import * as Generators from "../Generators.ts"
import { exceptionOf, freshExceptionId, newCharge } from "./ChargeRecords.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = ChargeStore | IntegrationStore | OrganisationStore | PaymentExceptionStore | Transaction

const draft = fc
  .tuple(
    Generators.paymentException,
    fc.record({
      status: fc.constantFrom(...Status.literals),
      kind: fc.constantFrom(...Kind.literals),
      created_at: fc.nat(3).map(at)
    })
  )
  .map(([exception, given]): PaymentException => ({ ...exception, ...given, charge_id: null }))

/**
 * The laws of {@link PaymentExceptionStore}.
 */
export const paymentExceptions = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "an exception is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordReader MUST see the named organisation's records only",
      "RecordStore.update MUST write all fields of the record that has the same organisation and id"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.paymentException, Generators.paymentException),
        Effect.fnUntraced(function* (written) {
          const store = yield* PaymentExceptionStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const { id: charge_id } = yield* newCharge(organisation_id)
          const id = yield* freshExceptionId
          for (const [index, each] of written.entries()) {
            const exception = { ...each, id, organisation_id, charge_id: each.charge_id === null ? null : charge_id }
            yield* index === 0 ? store.insert(exception) : store.update(exception)
            same(yield* store.find(organisation_id, id), Option.some(exception))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(exception))
            same(yield* store.ofCharge(organisation_id, charge_id), exception.charge_id === null ? [] : [exception])
            none(yield* store.find(other.id, id))
            same(yield* store.ofCharge(other.id, charge_id), [])
          }
        })
      )
  ),

  law("the exceptions of a charge are all of them, resolved ones too, and no other's", () =>
    Effect.gen(function* () {
      const store = yield* PaymentExceptionStore
      const { id } = yield* newOrganisation()
      const [charge, other] = [yield* newCharge(id), yield* newCharge(id)]
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(exceptionOf(id, { status, charge_id: charge.id }), store.insert)
      )
      yield* store.insert(yield* exceptionOf(id, { charge_id: other.id }))
      yield* store.insert(yield* exceptionOf(id))
      const byId = (all: ReadonlyArray<PaymentException>) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      same(byId(yield* store.ofCharge(id, charge.id)), byId(found))
      const attached = yield* (yield* ChargeStore).attached(id, charge.id)
      same(attached, { refunds: false, disputes: false, exceptions: true })
    })
  ),

  law("the exceptions about a thing are all of them, resolved ones too, in its organisation only", () =>
    Effect.gen(function* () {
      const store = yield* PaymentExceptionStore
      const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(exceptionOf(id, { status, subject_id: "acct_1" }), store.insert)
      )
      yield* store.insert(yield* exceptionOf(id, { subject_id: "acct_2" }))
      yield* store.insert(yield* exceptionOf(other.id, { subject_id: "acct_1" }))
      const byId = (all: ReadonlyArray<PaymentException>) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      same(byId(yield* store.ofSubject(id, "acct_1")), byId(found))
    })
  ),

  ...lists(
    {
      name: "payment exceptions",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const exception: PaymentException = { ...drafted, id: yield* freshExceptionId, organisation_id }
        yield* (yield* PaymentExceptionStore).insert(exception)
        return exception
      }),
      list: (organisation_id, query) => PaymentExceptionStore.use((store) => store.list(organisation_id, query)),
      columns: (exception) => exception
    },
    runsOf(given)
  ),

  holding({
    name: "a payment exception",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const exception = yield* exceptionOf((yield* newOrganisation()).id, { reason: "0" })
      yield* (yield* PaymentExceptionStore).insert(exception)
      return exception
    }),
    findForUpdate: ({ id, organisation_id }) =>
      PaymentExceptionStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (exception) => PaymentExceptionStore.use((store) => store.update(exception)),
    count: ({ reason }) => Number(reason),
    counted: (exception, count) => ({ ...exception, reason: `${count}` })
  })
]
