import { Result, Schema, Struct } from "effect"
import { Abn } from "../kernel/Abn.ts"
import { OrganisationId } from "../kernel/Ids.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { Name, nameOrNull } from "../kernel/Text.ts"

/** The settings of an organisation about its receipts, beside its records. pages, section 1. */
export class GivingSettings extends Schema.Opaque<GivingSettings>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    /** The fund that receipts name; null for the organisation itself. */
    fund_name: Schema.NullOr(Schema.String),
    /** The fund's ABN; null for that of the organisation. */
    fund_abn: Schema.NullOr(Schema.String),
    /** Whether receipts say that gifts are tax deductible. */
    is_deductible: Schema.Boolean,
    /** Whether donors get receipts by mail. */
    sends_receipts: Schema.Boolean
  }).annotate({ identifier: "StoredGivingSettings" })
) {}

const meanings = {
  fund_name: "Name of the fund that receipts name; `null` for the organisation's own.",
  fund_abn: "The fund's Australian Business Number; `null` for the organisation's own.",
  is_deductible:
    "Whether receipts say that gifts are tax deductible. Only the holder of an endorsement as a deductible gift recipient may say so, and its ABN has to be set here.",
  sends_receipts: "Whether donors are sent receipts."
}

/** The settings as staff see them. */
export const GivingSettingsRecord = GivingSettings.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "GivingSettings",
  meanings
})

/** The settings of an organisation that has set nothing: gifts are not deductible, and receipts are sent. */
export const initial = (organisation_id: OrganisationId): GivingSettings => ({
  organisation_id,
  fund_name: null,
  fund_abn: null,
  is_deductible: false,
  sends_receipts: true
})

/** The settings that change; those left out stay. */
export const GivingSettingsPatch = Schema.Struct({
  fund_name: Schema.optionalKey(Schema.NullOr(Name)),
  fund_abn: Schema.optionalKey(Schema.NullOr(Abn)),
  is_deductible: Schema.optionalKey(Schema.Boolean),
  sends_receipts: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "GivingSettingsPatch", meanings })
export type GivingSettingsPatch = typeof GivingSettingsPatch.Type

/** The settings after a change; an {@link InvalidInput} where gifts would be deductible to a fund without an ABN. */
export const revise = (
  settings: GivingSettings,
  patch: GivingSettingsPatch
): Result.Result<GivingSettings, InvalidInput> => {
  const after = { ...settings, ...patch }
  if (after.is_deductible && after.fund_abn === null) {
    const param = patch.is_deductible === undefined ? "fund_abn" : "is_deductible"
    const message = "Gifts are deductible to the holder of an endorsement: set fund_abn to its ABN in the same change."
    return Result.fail(new InvalidInput({ param, message }))
  }
  return Result.succeed({ ...after, fund_name: nameOrNull(after.fund_name) })
}
