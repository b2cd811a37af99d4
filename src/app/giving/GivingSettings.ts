import { Context, Effect, Layer } from "effect"
import { staffReads, staffWrites } from "../../domain/access/Policy.ts"
import { GivingSettingsPatch, GivingSettingsRecord, revise } from "../../domain/giving/GivingSettings.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, operationsOf, operationTable } from "../access/operation/Operation.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"

const operations = operationTable({
  read: {
    summary: "Show what is set about receipts",
    requires: staffReads("giving_settings.read"),
    input: [],
    output: GivingSettingsRecord
  },
  update: {
    summary: "Set the fund that receipts name, whether gifts to it are deductible, and whether receipts are sent",
    requires: staffWrites("giving_settings.update"),
    input: [body(GivingSettingsPatch, GivingSettingsRecord)],
    output: GivingSettingsRecord
  }
})

/** The settings of an organisation beside its records, for staff. pages, section 1. */
export class GivingSettings extends Context.Service<GivingSettings>()("almoner/app/GivingSettings", {
  make: Effect.gen(function* () {
    const store = yield* GivingSettingsStore
    const organisations = yield* OrganisationStore
    const journal = yield* ChangeLog
    const transaction = yield* Transaction

    const read = Effect.fn("GivingSettings.read")(function* () {
      const { organisation } = yield* requireStaff(operations.read)
      return yield* store.of(organisation.id)
    })

    /** Fails with {@link InvalidInput} where gifts would be deductible to a fund without an ABN. */
    const update = Effect.fn("GivingSettings.update")(function* (patch: GivingSettingsPatch) {
      const { organisation } = yield* requireStaff(operations.update)
      // Two changes of different settings wait for each other, also where there are none to hold yet.
      yield* organisations.findForUpdate(organisation.id)
      const after = yield* Effect.fromResult(revise(yield* store.of(organisation.id), patch))
      yield* store.set(after)
      const operation = operations.update.requires.name
      yield* journal.write({ operation, subject_id: organisation.id, at: yield* organisationNow, events: [] })
      return after
    }, transaction.run)

    return yield* serviceInOrganisationTime(operations, { read, update })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** The operations of {@link GivingSettings}. */
export const givingSettingsOperations = operationsOf(GivingSettings, operations)
