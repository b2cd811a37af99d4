import { Effect } from "effect"
import fc from "fast-check"
import { Kind, listing, PaymentException, Status } from "../../domain/payments/PaymentException.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { PaymentExceptionStore } from "../../ports/payments/PaymentExceptionStore.ts"
import * as Generators from "../Generators.ts"
import { exceptionOf, newCharge } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId } from "./Records.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

/** The laws of {@link PaymentExceptionStore}. */
export const paymentExceptions = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "payment exceptions",
    port: PaymentExceptionStore,
    arbitrary: Generators.paymentException,
    schema: PaymentException,
    fresh: freshId("paymentException"),
    parents: (organisation_id, { charge_id }) =>
      charge_id === null ? Effect.succeed({}) : Effect.map(newCharge(organisation_id), ({ id }) => ({ charge_id: id })),
    answers: Effect.fnUntraced(function* (exception, other) {
      const store = yield* PaymentExceptionStore
      const charge_id = exception.charge_id ?? (yield* freshId("charge"))
      same(yield* store.ofCharge(exception.organisation_id, charge_id), exception.charge_id === null ? [] : [exception])
      same(yield* store.ofCharge(other, charge_id), [])
    }),
    list: {
      spec: listing,
      few: fc.record({
        status: fc.constantFrom(...Status.literals),
        kind: fc.constantFrom(...Kind.literals),
        charge_id: fc.constant(null)
      })
    }
  })(({ law }) => [
    law("the exceptions of a charge are all of them, resolved ones too, and no other's", function* ({ store, id }) {
      const [charge, other] = [yield* newCharge(id), yield* newCharge(id)]
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(exceptionOf(id, { status, charge_id: charge.id }), store.insert)
      )
      yield* store.insert(yield* exceptionOf(id, { charge_id: other.id }))
      yield* store.insert(yield* exceptionOf(id))
      same(byId(yield* store.ofCharge(id, charge.id)), byId(found))
      const attached = yield* (yield* ChargeStore).attached(id, charge.id)
      same(attached, { refunds: false, disputes: false, exceptions: true })
    }),

    law("the exceptions about a thing are its organisation's, resolved ones too", function* ({ store, id, other }) {
      const found = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(exceptionOf(id, { status, subject_id: "acct_1" }), store.insert)
      )
      yield* store.insert(yield* exceptionOf(id, { subject_id: "acct_2" }))
      yield* store.insert(yield* exceptionOf(other, { subject_id: "acct_1" }))
      same(yield* store.ofSubject(other, "acct_2"), [])
      same(byId(yield* store.ofSubject(id, "acct_1")), byId(found))
    })
  ])
