import { DateTime, HashMap, Layer, Option, Result } from "effect"
import { plans } from "../../../domain/access/Plan.ts"
import type { CreditId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { type CardGuard, isClosed } from "../../../domain/payments/CardGuard.ts"
import type { Credit } from "../../../domain/payments/Credit.ts"
import { unendedRule } from "../../../domain/payments/Invoice.ts"
import { lastingRule } from "../../../domain/payments/Subscription.ts"
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
import { findBy, makeRecords, makeUniqueRecords, tableOf } from "../Records.ts"
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

const credits = tableOf("credits")

const creditStore = storeOf(CreditStore, (memory) => {
  const { find, findForUpdate, list, update } = makeRecords(memory, credits)
  return {
    find,
    findForUpdate,
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
    ofImport: findBy(memory, credits, "import_id"),
    keepStatement: (statement) =>
      memory.change((state) => {
        const { import_id, organisation_id } = statement
        return { ...state, statements: put(state.statements, organisation_id, import_id, statement) }
      }),
    findStatement: (organisation_id, import_id) =>
      memory.read((state) => get(state.statements, organisation_id, import_id)),
    dropStatement: (organisation_id, import_id) =>
      memory.changeTable("statements", (statements) => remove(statements, organisation_id, import_id)),
    statementsSince: (organisation_id, { account, day, integration_id }) =>
      memory.read((state) =>
        where(
          state.statements,
          organisation_id,
          (each) => each.last_day >= day && (each.account === account || each.integration_id === integration_id)
        ).toSorted((a, b) => compareCodePoints(b.last_day, a.last_day) || compareCodePoints(a.import_id, b.import_id))
      ),
    ofCharge: findBy(memory, credits, "charge_id")
  }
})

const disputes = tableOf("disputes")

const disputeStore = storeOf(DisputeStore, (memory) => ({
  ...makeRecords(memory, disputes),
  ofCharge: findBy(memory, disputes, "charge_id")
}))

const invoiceStore = storeOf(InvoiceStore, (memory) => ({
  ...makeUniqueRecords(memory, {
    ...tableOf("invoices"),
    unique: {
      value: ({ due_on, subscription_id }) => `${subscription_id} ${due_on}`,
      record: "invoice",
      field: "due_on"
    }
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
  ...makeRecords(memory, tableOf("mandates")),
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

const exceptions = tableOf("paymentExceptions")

const paymentExceptionStore = storeOf(PaymentExceptionStore, (memory) => ({
  ...makeRecords(memory, exceptions),
  ofCharge: findBy(memory, exceptions, "charge_id"),
  ofSubject: findBy(memory, exceptions, "subject_id")
}))

const subscriptions = tableOf("subscriptions")

const awaiting = pollQueue(subscriptions)

const subscriptionStore = storeOf(SubscriptionStore, (memory) => ({
  ...makeRecords(memory, subscriptions),
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
    memory.changeTable("tariffs", (tariffs) => HashMap.set(tariffs, `${tariff.plan} ${beginMillis(tariff)}`, tariff)),
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
  replace: (guards) =>
    memory.changeTable("cardGuards", (cardGuards) =>
      guards.reduce((table, guard) => put(table, guard.organisation_id, guard.subject, guard), cardGuards)
    ),
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
