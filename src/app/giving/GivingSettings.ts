import { Effect, Option, Schema } from "effect"
import type { Organisation } from "../../domain/access/Organisation.ts"
import type { StaffRequirement } from "../../domain/access/Policy.ts"
import * as Settings from "../../domain/giving/GivingSettings.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import { GivenId } from "../../domain/kernel/Text.ts"
import { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { GivingSettingsStore } from "../../ports/giving/GivingSettingsStore.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../ports/kernel/Tokens.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { requireStaff, type WithRequirement } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { body, operationsOf, value } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"

const shown = Settings.GivingSettingsRecord

const operations = Row.table("giving_settings", {
  read: Row.staffRead("Show what is set about receipts and the look of pages", [], shown),
  update: Row.staffChange(
    "Set what receipts say and whether they are sent, the accent of pages, and who may embed forms",
    [body(Settings.GivingSettingsPatch, shown)],
    shown
  ),
  setLogo: Row.staffChange(
    "Set the logo of pages: a PNG, JPEG or WebP, which is written anew without whatever else is in the file",
    [body(Settings.NewLogo)],
    shown
  ),
  removeLogo: Row.staffChange("Have pages show no logo", [], shown),
  logo: Row.keeper(
    "Show an organisation's logo by its name, to whoever is on its pages",
    [value("organisation", GivenId), value("name", Schema.String)],
    Settings.ShownLogo
  )
})

/** The settings of an organisation beside its records, for staff. pages, section 1. */
export class GivingSettings extends Service<GivingSettings>()("almoner/app/GivingSettings", function* () {
  const store = yield* GivingSettingsStore
  const organisations = yield* OrganisationStore
  const journal = yield* ChangeLog
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const read = Effect.fn("GivingSettings.read")(function* () {
    const { organisation } = yield* requireStaff(operations.read)
    return yield* store.of(organisation.id)
  })

  const change = Effect.fnUntraced(function* <E>(
    operation: WithRequirement<StaffRequirement>,
    decide: (before: Settings.GivingSettings, organisation: Organisation) => Effect.Effect<Settings.GivingSettings, E>
  ) {
    const { organisation } = yield* requireStaff(operation)
    const { id } = organisation
    // Two changes of different settings wait for each other, also where there are none to hold yet.
    yield* organisations.findForUpdate(id)
    const after = yield* decide(yield* store.of(id), organisation)
    yield* store.set(after)
    yield* journal.write({
      operation: operation.requires.name,
      subject_id: id,
      at: yield* organisationNow,
      events: []
    })
    return after
  }, transaction.run)

  /**
   * Fails with {@link InvalidInput} where gifts would be deductible to a fund without an ABN, and for an accent that is too
   * light to be read.
   */
  const update = Effect.fn("GivingSettings.update")((patch: Settings.GivingSettingsPatch) =>
    change(operations.update, (before) => Effect.fromResult(Settings.revise(before, patch)))
  )

  /** Fails with {@link InvalidInput} for what is no picture that pages may show. */
  const setLogo = Effect.fn("GivingSettings.setLogo")((given: Settings.NewLogo) =>
    change(
      operations.setLogo,
      Effect.fnUntraced(function* (before, { id: organisation_id }) {
        const picture = yield* Effect.fromResult(Settings.readLogo(given))
        const logo = Settings.logoOf(organisation_id, picture, yield* tokens.digestBytes(picture.bytes))
        yield* store.setLogo(logo)
        return { ...before, logo: logo.name }
      })
    )
  )

  const removeLogo = Effect.fn("GivingSettings.removeLogo")(() =>
    change(operations.removeLogo, (before, { id }) => Effect.as(store.removeLogo(id), { ...before, logo: null }))
  )

  /** Fails with {@link NotFound} for any name but that of the organisation's present logo. */
  const logo = Effect.fn("GivingSettings.logo")(function* (slug: string, name: string) {
    const organisation = yield* organisations.findBySlug(slug)
    const found = Option.isSome(organisation) ? yield* store.logoOf(organisation.value.id) : Option.none()
    if (Option.isNone(found) || found.value.name !== name) return yield* new NotFound({ record: "logo", id: name })
    return Settings.shownLogo(found.value)
  })

  return yield* serviceInOrganisationTime(operations, { read, update, setLogo, removeLogo, logo })
}) {}

/** The operations of {@link GivingSettings}. */
export const givingSettingsOperations = operationsOf(GivingSettings, operations)
