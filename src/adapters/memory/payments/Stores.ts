import { DateTime, HashMap, Layer, Option, Result } from "effect"
import { plans } from "../../../domain/access/Plan.ts"
import type {
  CreditId,
  DisputeId,
  InvoiceId,
  MandateId,
  OrganisationId,
  PaymentExceptionId,
  SubscriptionId
} from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { type CardGuard, isClosed } from "../../../domain/payments/CardGuard.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import type { Dispute } from "../../../domain/payments/Dispute.ts"
import { type Invoice, unendedRule } from "../../../domain/payments/Invoice.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import type { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { lastingRule, type Subscription } from "../../../domain/payments/Subscription.ts"
import type { Tariff } from "../../../domain/payments/Tariff.ts"
import { CardGuardStore } from "../../../ports/payments/CardGuardStore.ts"
import { CreditStore } from "../../../ports/payments/CreditStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { TariffStore } from "../../../ports/payments/TariffStore.ts"
import { makeDueRecords, pollQueue } from "../FairQueue.ts"
import { makeDonorReferences } from "../giving/Stores.ts"
import { type Change, storeOf } from "../Memory.ts"
import { makeRecords, makeUniqueRecords, type RecordTable, tableOf } from "../Records.ts"
import { add, every, get, put, records, remove, type State, where } from "../State.ts"

const lineOf = (place: string, { digest, number }: Credit): string => JSON.stringify([place, digest, number])

const linesOf = (credit: Credit): ReadonlyArray<string> => [
  lineOf(credit.account, credit),
  lineOf(credit.integration_id, credit)
]

const addAll = (
  state: State,
  organisation_id: OrganisationId,
  credits: ReadonlyArray<Credit>
): Change<ReadonlySet<CreditId>, never> => {
  const known = new Set(Array.from(records(state.credits, organisation_id)).flatMap(linesOf))
  const added = new Set<CreditId>()
  let table = state.credits
  for (const credit of credits) {
    if (credit.organisation_id !== organisation_id || linesOf(credit).some((line) => known.has(line))) continue
    for (const line of linesOf(credit)) known.add(line)
    added.add(credit.id)
    table = add(table, credit)
  }
  return Result.succeed([added, { ...state, credits: table }])
}

const creditStore = storeOf(CreditStore, (memory) => {
  const { find, list, update } = makeRecords<Credit, CreditId>(memory, tableOf("credits"))
  return {
    find,
    list,
    update,
    add: (organisation_id, credits) => memory.decide((state) => addAll(state, organisation_id, credits)),
    ofDays: (organisation_id, { account, bank_ids, first, integration_id, last }) =>
      memory.read((state) => {
        const ids = new Set<string | null>(bank_ids)
        const isHere = (each: Credit) => each.account === account || each.integration_id === integration_id
        const isAsked = ({ bank_id, day }: Credit) => (day >= first && day <= last) || ids.has(bank_id)
        return where(state.credits, organisation_id, (each) => isHere(each) && isAsked(each)).toSorted(
          (a, b) => compareCodePoints(a.day, b.day) || compareCodePoints(a.id, b.id)
        )
      }),
    ofImport: (organisation_id, import_id) =>
      memory.read((state) => where(state.credits, organisation_id, (each) => each.import_id === import_id)),
    keepStatement: (statement) =>
      memory.change((state) => {
        const { import_id, organisation_id } = statement
        return { ...state, statements: put(state.statements, organisation_id, import_id, statement) }
      }),
    findStatement: (organisation_id, import_id) =>
      memory.read((state) => get(state.statements, organisation_id, import_id)),
    dropStatement: (organisation_id, import_id) =>
      memory.change((state) => ({ ...state, statements: remove(state.statements, organisation_id, import_id) })),
    statementsSince: (organisation_id, { account, day, integration_id }) =>
      memory.read((state) =>
        where(
          state.statements,
          organisation_id,
          (each) => each.last_day >= day && (each.account === account || each.integration_id === integration_id)
        ).toSorted((a, b) => compareCodePoints(b.last_day, a.last_day) || compareCodePoints(a.import_id, b.import_id))
      ),
    ofCharge: (organisation_id, charge_id) =>
      memory.read((state) => where(state.credits, organisation_id, (each) => each.charge_id === charge_id))
  }
})

const disputeStore = storeOf(DisputeStore, (memory) => ({
  ...makeRecords<Dispute, DisputeId>(memory, tableOf("disputes")),
  ofCharge: (organisation_id, charge_id) =>
    memory.read((state) => where(state.disputes, organisation_id, (each) => each.charge_id === charge_id))
}))

const invoiceStore = storeOf(InvoiceStore, (memory) => ({
  ...makeUniqueRecords<Invoice, InvoiceId>(memory, {
    ...tableOf("invoices"),
    unique: [
      {
        value: ({ due_on, subscription_id }) => `${subscription_id} ${due_on}`,
        record: "invoice",
        field: "due_on"
      }
    ]
  }),
  openOf: (organisation_id, subscription_id) =>
    memory.read((state) =>
      where(
        state.invoices,
        organisation_id,
        (each) => each.subscription_id === subscription_id && holds(unendedRule, each)
      ).toSorted((a, b) => (a.due_on < b.due_on ? -1 : 1))
    )
}))

const mandateStore = storeOf(MandateStore, (memory) => ({
  ...makeRecords<Mandate, MandateId>(memory, tableOf("mandates")),
  ofReference: (processor, reference) =>
    memory.read((state) =>
      every(state.mandates).filter(
        (each) =>
          each.reference === reference &&
          Option.exists(
            get(state.integrations, each.organisation_id, each.integration_id),
            (integration) => integration.processor === processor
          )
      )
    )
}))

const paymentExceptionStore = storeOf(PaymentExceptionStore, (memory) => ({
  ...makeRecords<PaymentException, PaymentExceptionId>(memory, tableOf("paymentExceptions")),
  ofCharge: (organisation_id, charge_id) =>
    memory.read((state) => where(state.paymentExceptions, organisation_id, (each) => each.charge_id === charge_id)),
  ofSubject: (organisation_id, subject_id) =>
    memory.read((state) => where(state.paymentExceptions, organisation_id, (each) => each.subject_id === subject_id))
}))

const subscriptions: RecordTable<Subscription> = tableOf("subscriptions")

const awaiting = pollQueue(subscriptions)

const subscriptionStore = storeOf(SubscriptionStore, (memory) => ({
  ...makeRecords<Subscription, SubscriptionId>(memory, subscriptions),
  ...makeDonorReferences(memory, subscriptions),
  lastingOf: (organisation_id, donor_id) =>
    memory.read((state) =>
      where(state.subscriptions, organisation_id, (each) => each.donor_id === donor_id && holds(lastingRule, each))
        .map(({ id }) => id)
        .toSorted(compareCodePoints)
    ),
  ...makeDueRecords(memory, awaiting)
}))

const beginMillis = ({ effective_from }: Tariff): number => DateTime.toEpochMillis(effective_from)

const inOrder = (a: Tariff, b: Tariff): number =>
  plans.indexOf(a.plan) - plans.indexOf(b.plan) || beginMillis(b) - beginMillis(a)

const tariffStore = storeOf(TariffStore, (memory) => ({
  set: (tariff) =>
    memory.change((state) => ({
      ...state,
      tariffs: HashMap.set(state.tariffs, `${tariff.plan} ${beginMillis(tariff)}`, tariff)
    })),
  all: memory.read((state) => HashMap.toValues(state.tariffs).toSorted(inOrder))
}))

const guardOf = (state: State, { organisation_id, subject }: Pick<CardGuard, "organisation_id" | "subject">) =>
  get(state.cardGuards, organisation_id, subject)

const cardGuardStore = storeOf(CardGuardStore, (memory) => ({
  find: (organisation_id, subjects) =>
    memory.read((state) => subjects.flatMap((subject) => Option.toArray(guardOf(state, { organisation_id, subject })))),
  // Transactions run one after the other.
  findForUpdate: (untouched) =>
    memory.read((state) => untouched.map((guard) => Option.getOrElse(guardOf(state, guard), () => guard))),
  replace: (guard) =>
    memory.change((state) => ({
      ...state,
      cardGuards: put(state.cardGuards, guard.organisation_id, guard.subject, guard)
    })),
  trim: (before, limit) =>
    memory.decide((state) => {
      const old = every(state.cardGuards)
        .filter((guard) => DateTime.isLessThanOrEqualTo(guard.begun_at, before) && !isClosed(guard, before))
        .slice(0, limit)
      const cardGuards = old.reduce(
        (table, { organisation_id, subject }) => remove(table, organisation_id, subject),
        state.cardGuards
      )
      return Result.succeed([old.length, { ...state, cardGuards }])
    })
}))

export const layer = Layer.mergeAll(
  cardGuardStore,
  creditStore,
  disputeStore,
  invoiceStore,
  mandateStore,
  paymentExceptionStore,
  subscriptionStore,
  tariffStore
)
