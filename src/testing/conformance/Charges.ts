import { DateTime, Duration, Effect, Option, Struct } from "effect"
import fc from "fast-check"
import { submittedOf } from "../../domain/giving/CheckoutDonor.ts"
import { DonationId, type DonorId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import { Charge, type Command, listing, machine, Status } from "../../domain/payments/Charge.ts"
import type { AwaitedGift } from "../../domain/payments/GiftCandidate.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { CreditStore } from "../../ports/payments/CreditStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { chargeRelations } from "./ChargeRelations.ts"
import { creditOf } from "./Credits.ts"
import { dueBy, dueRecords, hintCheck, millis } from "./DueRecords.ts"
import { rowFor } from "./MachineRows.ts"
import { chargeOf, newCharge, newDonor, newIntegration, paymentOf, setOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, freshId, idsOf, newOrganisation } from "./Records.ts"
import { byId, inTransaction, lawsOf, none, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law } = lawsOf(ChargeStore)

const aDay = Duration.days(1)

/** Has nobody look at the charge any more, so that no other check is handed it. */
const forgotten = (charge: Charge) =>
  ChargeStore.use((store) => Effect.orDie(store.update({ ...charge, look_at: null })))

const kept = (charge: Charge) =>
  Effect.as(
    Effect.addFinalizer(() => forgotten(charge)),
    charge
  )

/** A stored charge that is to be looked at so many seconds after the store's present. */
const dueIn = dueBy(ChargeStore, "look_at", newCharge)

const claim = (limit = 100, lease = aDay) => ChargeStore.use((store) => store.claim(limit, lease))

const everyCommand = (at: DateTime.Utc): ReadonlyArray<Command> => [
  { _tag: "Refer", at, reference: "pi" },
  { _tag: "Confirm", at },
  { _tag: "Wait", at },
  { _tag: "Process", at },
  { _tag: "Succeed", at },
  { _tag: "Fail", at, failure_code: "card_declined" },
  { _tag: "End", at, failure_code: "abandoned" },
  { _tag: "Cancel", at, failure_code: "cancelled" },
  { _tag: "LearnFee", at, processor_fee_cents: 1 }
]

const claims = (given: Thoroughness) => [
  ...dueRecords(
    {
      name: "charges",
      must: "ChargeStore.claim MUST give a charge to one worker only for as long as lease, by moving its look_at to the end of it;",
      port: ChargeStore,
      make: dueIn,
      find: ({ id, organisation_id }) => ChargeStore.use((store) => store.find(organisation_id, id)),
      field: "look_at"
    },
    runsOf(given)
  ),

  law("a charge is handed out by its time alone, whatever each command made of it", function* ({ store, id }) {
    const integration = yield* newIntegration(id)
    const now = yield* store.now
    const [past, future] = [DateTime.subtract(now, { minutes: 1 }), DateTime.add(now, { hours: 1 })]
    const written: Array<Charge> = []
    for (const command of everyCommand(past)) {
      const drafts = Status.literals.flatMap((status) => [
        { status, look_at: past },
        { status, look_at: future, reference: "pi", confirmed_at: past, processor_fee_cents: 1 },
        { status, look_at: null }
      ])
      const charges = yield* Effect.forEach(drafts, (draft, index) =>
        chargeOf(integration, "reference" in draft ? { ...draft, reference: `${command._tag} ${index}` } : draft)
      )
      rowFor(machine, command).meet(charges)
      for (const charge of charges) {
        yield* Effect.orDie(store.insert(charge))
        const own = command._tag === "Refer" ? { ...command, reference: charge.id } : command
        const changed = yield* kept(rowFor(machine, own).after(charge))
        yield* Effect.orDie(store.update(changed))
        written.push(changed)
      }
    }
    const due = written.filter(({ look_at }) => millis(look_at) <= millis(now))
    same(idsOf(yield* claim(1_000)).toSorted(), idsOf(due).toSorted())
  })
]

/** A transfer that waits for all of its money, by whoever was to make it. */
const awaitedOf = (
  charge: Charge,
  payer: Pick<AwaitedGift, "first_name" | "last_name" | "organisation_name"> | null,
  donor_id: DonorId | null
): AwaitedGift => ({
  ...Struct.pick(charge, ["integration_id", "amount_cents", "currency", "status", "reference", "created_at"]),
  charge_id: charge.id,
  received_cents: 0,
  donor_id,
  first_name: payer?.first_name ?? null,
  last_name: payer?.last_name ?? null,
  organisation_name: payer?.organisation_name ?? null
})

const byCharge = (one: AwaitedGift, next: AwaitedGift): number => (one.charge_id < next.charge_id ? -1 : 1)

const looks = [
  hintCheck(
    "a charge that is to be looked at now is hinted when its change has committed",
    ["ChargeStore.lookNow MUST raise the hint that wait waits for once that committed"],
    ChargeStore,
    Effect.fnUntraced(function* (organisation_id) {
      const [first, second] = [yield* dueIn(organisation_id, null), yield* dueIn(organisation_id, null)]
      const { lookNow } = yield* ChargeStore
      yield* lookNow(organisation_id, first.id)
      return [lookNow(organisation_id, second.id)]
    })
  ),

  law("a charge that is to be looked at now is due at once", function* ({ store, id }) {
    for (const seconds of [null, 3_600]) {
      const charge = yield* dueIn(id, seconds)
      yield* store.lookNow(id, charge.id)
      yield* store.wait
      same(idsOf(yield* claim()), [charge.id])
    }
  }),

  law("transfers that wait at an account are looked at now by when they were submitted", function* (setting) {
    const { store, id, other } = setting
    const now = yield* store.now
    const [look_at, from] = [DateTime.add(now, { hours: 1 }), DateTime.subtract(now, { days: 2 })]
    const until = DateTime.add(from, { days: 1 })
    const integration = yield* newIntegration(id)
    const waits = { status: "WAITING", method: "bank_transfer", look_at, created_at: from } as const
    const charges = yield* Effect.forEach(
      [
        waits,
        { ...waits, created_at: DateTime.subtract(from, { milliseconds: 1 }) },
        { ...waits, created_at: DateTime.subtract(until, { milliseconds: 1 }) },
        { ...waits, created_at: until },
        { ...waits, status: "PROCESSING" as const },
        { ...waits, method: "payto" as const },
        { ...waits, ending: "cancelled" }
      ],
      (given) => Effect.flatMap(chargeOf(integration, given), kept)
    )
    for (const charge of charges) yield* Effect.orDie(store.insert(charge))
    yield* dueIn(id, 3_600, waits)
    const long = { from: DateTime.subtract(from, { days: 9 }), until: DateTime.subtract(from, { days: 8 }) }
    yield* store.lookAtTransfers(other, [], long)
    yield* store.lookAtTransfers(id, [integration.id], { from, until })
    same(idsOf(yield* claim()).toSorted(), idsOf([...charges.slice(0, 1), ...charges.slice(2, 3)]).toSorted())
  }),

  law(
    "transfers that a payment may be for are found by reference, amount, and words of the donor or the payer",
    function* ({ store, id, other }) {
      const integration = yield* newIntegration(id)
      const [donor, stranger] = [yield* newDonor(id, { last_name: "Quill" }), yield* newDonor(id, { last_name: "Zed" })]
      const lapsed = { status: "CANCELLED", failure_code: "bank_transfer_lapsed", ended_at: at(5) } as const
      const awaited: Array<AwaitedGift> = []
      const charges = yield* Effect.forEach(
        [
          { amount_cents: 100 },
          { amount_cents: 200, reference: "R" },
          { amount_cents: 300, ...lapsed },
          { amount_cents: 400 },
          { amount_cents: 100, currency: "NZD" },
          { amount_cents: 100, ...lapsed, ended_at: at(4.999) },
          { amount_cents: 100, method: "payto" as const },
          { amount_cents: 100, ...lapsed }
        ],
        (given) => chargeOf(integration, { status: "WAITING", method: "bank_transfer", currency: "AUD", ...given })
      )
      for (const [index, charge] of charges.entries()) {
        yield* Effect.orDie(store.insert(charge))
        const giver = index === 2 ? donor : stranger
        if (index < 3) awaited.push(awaitedOf(charge, giver, giver.id))
        const gift = yield* donationOf(giver, {
          id: DonationId.make(charge.subject_id),
          charge_id: charge.id,
          payment_method: "bank_transfer",
          status: index === 2 ? "FAILED" : "PENDING"
        })
        yield* (yield* DonationStore).insert(gift)
      }
      const again = yield* chargeOf(integration, { submission_id: charges[7]?.id ?? "" })
      yield* Effect.orDie(store.insert(again))
      const typed = submittedOf({ last_name: "Prawn" })
      for (const [given, payer, donor_id] of [
        [{ submitted_donor: typed }, typed, null],
        [{ link_donor_id: donor.id }, donor, donor.id]
      ] as const) {
        const payment = yield* paymentOf(yield* setOf(id, []), [], {
          payment_method_type: "bank_transfer",
          total_amount_cents: 500,
          recommendation_set_id: null,
          ...given
        })
        yield* (yield* PaymentStore).insert(payment)
        const paying = { purpose: "payment", subject_id: payment.id, amount_cents: 500, currency: "AUD" } as const
        const charge = yield* chargeOf(integration, { status: "WAITING", method: "bank_transfer", ...paying })
        yield* Effect.orDie(store.insert(charge))
        awaited.push(awaitedOf(charge, payer, donor_id))
      }
      const sought = {
        integrations: [integration.id],
        amount_cents: 100,
        currency: "AUD",
        references: ["R"],
        words: ["qui"],
        names: ["prawn"],
        lapsedSince: at(5),
        limit: 2
      }
      const nothing = { integrations: [integration.id], amount_cents: 1, currency: "EUR", references: [], words: [] }
      same(yield* store.awaitedGifts(id, { ...nothing, names: [], lapsedSince: at(9), limit: 1 }), [])
      same((yield* store.awaitedGifts(id, sought)).toSorted(byCharge), awaited.toSorted(byCharge))
      assert.lengthOf(yield* store.awaitedGifts(id, { ...sought, limit: 1 }), 4)
      same(yield* store.awaitedGifts(id, { ...sought, integrations: [] }), [])
      same(yield* store.awaitedGifts(other, sought), [])
    }
  ),

  law("transfers that have a part of their money are found, and how much that is", function* ({ store, id, other }) {
    const integration = yield* newIntegration(id)
    const charges = yield* Effect.forEach(["WAITING", "SUCCEEDED", "WAITING"] as const, (status, index) =>
      chargeOf(integration, { status, method: "bank_transfer", amount_cents: 900, created_at: at(index) })
    )
    for (const charge of charges) yield* Effect.orDie(store.insert(charge))
    for (const [charge, amount_cents] of charges.slice(0, 2).flatMap(
      (each) =>
        [
          [each, 100],
          [each, 30]
        ] as const
    )) {
      const credit = yield* creditOf(id, integration.id, {
        charge_id: charge.id,
        amount_cents,
        digest: `${charge.id} ${amount_cents}`
      })
      yield* (yield* CreditStore).add(id, [credit])
    }
    const partPaid = charges.slice(0, 1).map((charge) => ({ ...awaitedOf(charge, null, null), received_cents: 130 }))
    same(yield* store.partPaidGifts(id, 1), partPaid)
    same(yield* store.partPaidGifts(id, 0), [])
    same(yield* store.partPaidGifts(other, 10), [])
  }),

  law("what is due already keeps its turn, and another organisation's charge is left alone", function* ({ store, id }) {
    const due = yield* dueIn(id, -60)
    yield* store.lookNow(id, due.id)
    same(yield* store.find(id, due.id), Option.some(due))
    const ahead = yield* dueIn(id, 3_600)
    yield* store.lookNow((yield* newOrganisation()).id, ahead.id)
    same(yield* store.find(id, ahead.id), Option.some(ahead))
  })
]

const takenOnce = "ChargeStore MUST be taken once, and an integration's reference once"

/** Whose a value is after a write in a transaction of its own: the charge's, or another one's that has it already. */
const whose = ({ id }: Charge, write: Effect.Effect<unknown, AlreadyTaken>) =>
  inTransaction(write).pipe(
    Effect.as<string>(id),
    Effect.catchTag("AlreadyTaken", ({ holder_id }) => Effect.succeed(holder_id))
  )

const uniqueness = [
  law(
    "of charges that get one reference at the same moment one has it, and all are told which",
    function* ({ store, id }) {
      const integration = yield* newIntegration(id)
      const charges = yield* Effect.forEach(Array.from({ length: 8 }), () => chargeOf(integration, { reference: null }))
      yield* Effect.forEach(charges, store.insert)
      const referred = charges.map((charge) => ({ ...charge, reference: "pi_7" }))
      // What is read after the write keeps the transaction open while the others write.
      const refer = (each: Charge) =>
        Effect.andThen(store.update(each), Effect.repeat(store.find(id, each.id), { times: 9 }))
      const answers = yield* Effect.forEach(referred, (each) => whose(each, refer(each)), { concurrency: 8 })
      const found = Option.getOrThrow(yield* store.ofReference(integration.id, "pi_7"))
      same([...new Set<string>(answers)], [found.id])
    }
  ),

  law("a charge is found by its submission, and by its reference at its account", function* ({ store, id, other }) {
    const charge = yield* newCharge(id, { reference: "pi_9" })
    same(yield* store.ofSubmission(id, charge.submission_id), Option.some(charge))
    none(yield* store.ofSubmission(other, charge.submission_id))
    none(yield* store.ofSubmission(id, charge.id))
    same(yield* store.ofReference(charge.integration_id, "pi_9"), Option.some(charge))
    none(yield* store.ofReference(charge.integration_id, "pi_8"))
    none(yield* store.ofReference(yield* freshId("integration"), "pi_9"))
  }),

  law("any organisation's charge is found by its id, and by its reference at its processor", function* ({ store }) {
    const reference = yield* freshId("request")
    const charges = yield* Effect.forEach([1, 2], () =>
      Effect.flatMap(newOrganisation(), ({ id }) => newCharge(id, { reference }))
    )
    const [first, second] = charges
    for (const charge of charges) same(yield* store.ofId(charge.id), Option.some(charge))
    none(yield* store.ofId(yield* freshId("charge")))
    const found = yield* store.ofProcessor("test", reference)
    same(byId(found), byId([first, second].flatMap((each) => each ?? [])))
    same(yield* store.ofProcessor("other", reference), [])
    same(yield* store.ofProcessor("test", `${reference}x`), [])
  })
]

/** The laws of {@link ChargeStore}. No other charge may be looked at in it. */
export const charges = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "charges",
    port: ChargeStore,
    arbitrary: Generators.charge,
    schema: Charge,
    fresh: freshId("charge"),
    parents: Effect.fnUntraced(function* (organisation_id) {
      const { id: integration_id } = yield* newIntegration(organisation_id)
      return { integration_id, submission_id: yield* freshId("request") }
    }),
    idle: { look_at: null },
    unique: [
      { field: "submission_id", must: takenOnce, value: { submission_id: "submission" } },
      {
        field: "reference",
        must: takenOnce,
        value: { reference: "pi_1" },
        within: ({ integration_id }) => ({ integration_id })
      }
    ],
    list: {
      spec: listing,
      few: fc.record({ status: fc.constantFrom(...Status.literals), subject_id: fc.constantFrom("don_1", "don_2") })
    }
  })(() => [...uniqueness, ...claims(given), ...looks, ...chargeRelations])
