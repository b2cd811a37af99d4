import { DateTime, Option, Result } from "effect"
import type { TestAccount, TestCharge } from "../../../domain/payments/TestCharge.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { TestBank, type TestChargeQuery } from "../../../ports/payments/TestBank.ts"
import { type Change, storeFrom } from "../Memory.ts"
import { makeRecords, tableOf } from "../Records.ts"
import { add, get, put, records, replace, type State, where } from "../State.ts"
import { makeTestNotices } from "./TestNotices.ts"

const table = tableOf("testCharges")

const byAge = (a: TestCharge, b: TestCharge): number =>
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) || (a.id < b.id ? -1 : 1)

const findOrInsert = (state: State, charge: TestCharge, since: DateTime.Utc): Change<TestCharge, never> => {
  const { id, idempotency_key, organisation_id } = charge
  const underKey = Array.from(records(state.testCharges, organisation_id)).find(
    (each) => each.idempotency_key !== null && each.idempotency_key === idempotency_key
  )
  const isOld = underKey !== undefined && DateTime.isLessThanOrEqualTo(underKey.created_at, since)
  const testCharges = isOld ? replace(state.testCharges, { ...underKey, idempotency_key: null }) : state.testCharges
  const known = Option.getOrElse(get(testCharges, organisation_id, id), () => (isOld ? undefined : underKey))
  return known === undefined
    ? Result.succeed([charge, { ...state, testCharges: add(testCharges, charge) }])
    : Result.succeed([known, { ...state, testCharges }])
}

const withAccount = (state: State, account: TestAccount): State => ({
  ...state,
  testAccounts: put(state.testAccounts, account.organisation_id, account.integration_id, account)
})

const isMeant = (
  { created_at, scheduled, updated_at }: TestCharge,
  { before, changed, since }: TestChargeQuery
): boolean =>
  (since === undefined || DateTime.isGreaterThanOrEqualTo(created_at, since)) &&
  (before === undefined || DateTime.isLessThan(created_at, before)) &&
  (changed === undefined || scheduled.length > 0 || DateTime.isGreaterThanOrEqualTo(updated_at, changed))

/** The simulated bank in memory. Its clock is Effect's. */
export const layer = storeFrom(TestBank, function* (memory) {
  const { find, findForUpdate, list, update } = makeRecords(memory, table)
  return {
    ...(yield* makeTestNotices(memory)),
    find,
    findForUpdate,
    list,
    update,
    now: organisationNow,
    findOrInsert: (charge, since) => memory.decide((state) => findOrInsert(state, charge, since)),
    ofCharge: (organisation_id, charge_id) =>
      memory.read((state) =>
        where(state.testCharges, organisation_id, (each) => each.charge_id === charge_id).toSorted(byAge)
      ),
    ofAccount: (organisation_id, integration_id, when, after, limit) =>
      memory.read((state) =>
        where(
          state.testCharges,
          organisation_id,
          (each) => each.integration_id === integration_id && (after === null || each.id > after)
        )
          .filter((each) => isMeant(each, when))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      ),
    account: (organisation_id, integration_id) =>
      memory.read((state) => get(state.testAccounts, organisation_id, integration_id)),
    setAccount: (account) => memory.change((state) => withAccount(state, account))
  }
})
