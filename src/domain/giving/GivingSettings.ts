import { Result, Schema, Struct } from "effect"
import { Abn } from "../kernel/Abn.ts"
import { OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { isOrigin } from "../kernel/Origin.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { Name, nameOrNull } from "../kernel/Text.ts"
import { Color, readAccent } from "./Accent.ts"
import { contentTypes, type Picture, readPicture } from "./Picture.ts"

/** The settings of an organisation about its receipts and the look of its pages, beside its records. pages, section 1. */
export class GivingSettings extends Schema.Opaque<GivingSettings>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    fund_name: Schema.NullOr(Schema.String),
    fund_abn: Schema.NullOr(Schema.String),
    is_deductible: Schema.Boolean,
    sends_receipts: Schema.Boolean,
    accent_color: Schema.NullOr(Schema.String),
    logo: Schema.NullOr(Schema.String),
    /** Origins whose pages may embed forms. */
    embed_origins: Schema.Array(Schema.String)
  }).annotate({ identifier: "StoredGivingSettings" })
) {}

const meanings = {
  fund_name: "Name of the fund that receipts name; `null` for the organisation's own.",
  fund_abn: "The fund's Australian Business Number; `null` for the organisation's own.",
  is_deductible:
    "Whether receipts say that gifts are tax deductible. Only the holder of an endorsement as a deductible gift recipient may say so, and its ABN has to be set here.",
  sends_receipts: "Whether donors are sent receipts, and mails of payments that take days or fail.",
  accent_color:
    "The colour of links and buttons on pages, such as `#0a5a4b`: dark enough to be read on white; by dark it is shown lighter. `null` for the one of all pages.",
  logo: "Name of the logo, of its content; `null` without one.",
  embed_origins: `Origins of sites that may embed forms, such as \`https://www.example.org\`; at most ${Limits.embedOrigins}. \`[]\` for none.`
}

/** The settings as staff see them. */
export const GivingSettingsRecord = GivingSettings.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "GivingSettings",
  meanings
})

/**
 * Where the receipt of a gift goes: to the address that was typed for it, and else to that of the donor's record; null where none
 * is sent.
 */
export const receiptAddress = (
  { sends_receipts }: Pick<GivingSettings, "sends_receipts">,
  typed: { readonly email?: string | null } | null,
  donor: { readonly email: string | null } | null
): string | null => (sends_receipts ? (typed?.email ?? donor?.email ?? null) : null)

/** The settings of an organisation that has set nothing: gifts are not deductible, receipts are sent, and nobody embeds. */
export const initial = (organisation_id: OrganisationId): GivingSettings => ({
  organisation_id,
  fund_name: null,
  fund_abn: null,
  is_deductible: false,
  sends_receipts: true,
  accent_color: null,
  logo: null,
  embed_origins: []
})

const Origin = Schema.String.check(
  Schema.isMaxLength(Limits.urlCharacters),
  Schema.makeFilter(isOrigin, {
    description: "an origin, such as https://www.example.org",
    representation: { id: "almoner/isOrigin", payload: {} },
    toJsonSchema: () => [{}, true]
  })
)

/** The settings that change; those left out stay. */
export const GivingSettingsPatch = Schema.Struct({
  fund_name: Schema.optionalKey(Schema.NullOr(Name)),
  fund_abn: Schema.optionalKey(Schema.NullOr(Abn)),
  is_deductible: Schema.optionalKey(Schema.Boolean),
  sends_receipts: Schema.optionalKey(Schema.Boolean),
  accent_color: Schema.optionalKey(Schema.NullOr(Color)),
  embed_origins: Schema.optionalKey(Schema.Array(Origin).check(Schema.isMaxLength(Limits.embedOrigins)))
}).annotate({ identifier: "GivingSettingsPatch", meanings })
export type GivingSettingsPatch = typeof GivingSettingsPatch.Type

/**
 * The settings after a change; an {@link InvalidInput} where gifts would be deductible to a fund without an ABN, and for a colour
 * that cannot be read.
 */
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
  const accent = after.accent_color === null ? Result.succeed(null) : readAccent(after.accent_color)
  return Result.map(accent, (accent_color) => ({
    ...after,
    accent_color,
    fund_name: nameOrNull(after.fund_name),
    embed_origins: [...new Set(after.embed_origins)]
  }))
}

/** A logo as it is kept. */
export interface Logo {
  readonly organisation_id: OrganisationId
  /** Its name, which its content gives it. */
  readonly name: string
  /** The picture, base64. */
  readonly data: string
}

/** A picture that becomes the logo: a PNG, JPEG or WebP. */
export const NewLogo = Schema.Struct({
  data: Schema.String.check(Schema.isMaxLength(Math.ceil(Limits.logoBytes / 3) * 4 + 4))
}).annotate({ identifier: "NewLogo", meanings: { data: "The picture, base64: a PNG, JPEG or WebP." } })
export type NewLogo = typeof NewLogo.Type

/** A logo as pages show it. */
export const ShownLogo = Schema.Struct({ content_type: Schema.String, data: Schema.String }).annotate({
  identifier: "Logo",
  meanings: { content_type: "The content type of the picture.", data: "The picture, base64." }
})
export type ShownLogo = typeof ShownLogo.Type

const bytesOf = Schema.decodeUnknownResult(Schema.Uint8ArrayFromBase64)
const base64Of = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** The picture that was given, written anew; an {@link InvalidInput} where it is none that pages may show. */
export const readLogo = ({ data }: NewLogo): Result.Result<Picture, InvalidInput> =>
  bytesOf(data).pipe(
    Result.mapError(() => "The picture must be base64."),
    Result.flatMap(readPicture),
    Result.mapError((message) => new InvalidInput({ param: "data", message }))
  )

const nameCharacters = 32

/** The logo that a picture becomes. The digest of its bytes names it: another picture has another name. */
export const logoOf = (organisation_id: OrganisationId, { bytes, type }: Picture, digest: string): Logo => ({
  organisation_id,
  name: `${digest.slice(0, nameCharacters)}.${type}`,
  data: base64Of(bytes)
})

/** The logo as pages show it. */
export const shownLogo = ({ data, name }: Logo): ShownLogo => {
  const type = (["jpg", "png", "webp"] as const).find((each) => name.endsWith(each)) ?? "png"
  return { content_type: contentTypes[type], data }
}
