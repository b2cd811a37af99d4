import { type DateTime, Option, Result, Schema, Struct } from "effect"
import { differingFields } from "../kernel/FieldDifference.ts"
import { DonationFormId, OrganisationId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import {
  type Births,
  type Condition,
  define,
  either,
  IllegalTransition,
  type MachineType,
  type Row,
  requires
} from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { nameOrNull, textOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { brokenRule, meanings, type Settings, Status, settingsFields } from "./FormSettings.ts"

/** A page that donors give through. service-spec, Donation form. */
export class DonationForm extends Schema.Opaque<DonationForm>()(
  Schema.Struct({
    id: DonationFormId,
    organisation_id: OrganisationId,
    /** Unique per organisation; fixed once the form was ACTIVE. decisions, section 4: Forms. */
    slug: Schema.String,
    status: Status,
    ...settingsFields,
    /** Identifies the form on another site that embeds it. */
    embed_token: Schema.NullOr(Schema.String),
    /** When the form last became ACTIVE; null when it never was. */
    activated_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant,
    archived_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredDonationForm" })
) {}

const { name, ...otherSettings } = settingsFields

const shown = {
  id: DonationFormId,
  name,
  slug: Schema.String,
  hosted_page_url: Schema.String.annotate({ description: "The form's page, on the organisation's subdomain" }),
  status: Status,
  ...otherSettings
}

const dates = { created_at: Instant, updated_at: Instant, archived_at: Schema.NullOr(Instant) }

/** A form as the API shows it. service-spec, Donation form. */
export const DonationFormRecord = Schema.Struct({
  ...shown,
  embed_token: DonationForm.fields.embed_token,
  ...dates
}).annotate({ identifier: "DonationForm", meanings })
export type DonationFormRecord = typeof DonationFormRecord.Type

/** The data of a form's events: the record without `embed_token`. decisions, section 6. */
export const eventData = Schema.Struct({ ...shown, ...dates }).annotate({ identifier: "DonationFormEventData" })

/** A form as the API shows it, with the address of its page, which the caller builds. */
export const recordOf = (form: DonationForm, hosted_page_url: string): DonationFormRecord => ({
  ...Struct.omit(form, ["organisation_id", "activated_at"]),
  hosted_page_url
})

/** The data of a form's event in the form's present state. */
export const eventDataOf = (form: DonationForm, hosted_page_url: string): (typeof eventData)["Type"] =>
  Struct.omit(recordOf(form, hosted_page_url), ["embed_token"])

/**
 * The path of a form's page. decisions, section 8.
 * @example DonationForm.pagePath({ slug: "appeal" }) // => "/f/appeal"
 */
export const pagePath = ({ slug }: Pick<DonationForm, "slug">): string => `/f/${slug}`

/** Base62 characters of a form's `embed_token`: more than 128 random bits. */
export const embedTokenDigits = 22

/** The list of forms. */
export const listing = {
  filters: {
    status: {
      kind: "enum",
      values: Status.literals,
      archived: "ARCHIVED",
      description: "Status; ARCHIVED needs no archived=true"
    },
    slug: { kind: "text", description: "The form's slug" },
    created_at: { kind: "timestamp", description: "When the form was made" }
  },
  archivable: true
} as const satisfies ListSpec

const settingNames = Struct.keys(settingsFields)

/** The fields that a change writes. `slug` comes with a new name while it may still follow the name. */
const changesSchema = Schema.Struct({ ...settingsFields, slug: Schema.String }).mapFields(
  Struct.map(Schema.optionalKey)
)
/** The fields that a change of a donation form sets. */
export type Changes = typeof changesSchema.Type

/** The commands of the machine of a donation form. */
export const Command = Schema.TaggedUnion({
  Activate: { at: Instant },
  Pause: { at: Instant },
  Resume: { at: Instant },
  Change: { at: Instant, changes: changesSchema },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type

/** Whether the slug may still follow the name. decisions, section 4: Forms. */
export const isSlugOpen = (form: DonationForm): boolean => form.activated_at === null

type Changing = Condition<DonationForm, { readonly changes: Changes }>

const rulesKept: Changing = [
  "the settings follow the rules of a form",
  (self, { changes }) => brokenRule({ ...self, ...changes }) === null
]
const slugStays: Changing = [
  "the slug stays once the form was ACTIVE",
  (self, { changes }) => isSlugOpen(self) || changes.slug === undefined || changes.slug === self.slug
]

const rule = "decisions, section 5: Form"
const fieldsRule = "decisions, section 4: Forms"

/** The part of a form's event data that the record holds: all but the address of its page. */
const ownData = eventData.mapFields(Struct.omit(["hosted_page_url"]))

const told = {
  data: ownData,
  of: (form: DonationForm): (typeof ownData)["Type"] => Struct.omit(eventDataOf(form, ""), ["hosted_page_url"])
}
const events = { "donation_form.created": told, "donation_form.updated": told, "donation_form.archived": told }
/** The types of events of a donation form. */
export type DonationFormEvent = keyof typeof events

/** How forms come to be. */
export const births = {
  made: { by: "POST /forms", to: "DRAFT", emits: ["donation_form.created"], rule: fieldsRule }
} as const satisfies Births<Status, DonationFormEvent>

const defined = define({
  name: "Donation form",
  state: DonationForm,
  command: Command,
  events,
  wording: Refusals.donationForm,
  statuses: Status.literals,
  rule,
  births,
  table: {
    Activate: {
      from: ["DRAFT"],
      to: "ACTIVE",
      emits: ["donation_form.updated"],
      patch: (_, { at }) => ({ activated_at: at, updated_at: at })
    },
    Pause: {
      from: ["ACTIVE"],
      to: "PAUSED",
      emits: ["donation_form.updated"],
      patch: (_, { at }) => ({ updated_at: at })
    },
    Resume: {
      from: ["PAUSED"],
      to: "ACTIVE",
      emits: ["donation_form.updated"],
      patch: (_, { at }) => ({ activated_at: at, updated_at: at })
    },
    Change: {
      from: ["DRAFT", "ACTIVE", "PAUSED"],
      to: "same",
      emits: ["donation_form.updated"],
      ...requires(rulesKept, slugStays),
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at }),
      rule: fieldsRule
    },
    Archive: {
      from: ["DRAFT", "ACTIVE", "PAUSED"],
      to: "ARCHIVED",
      emits: ["donation_form.archived"],
      patch: (_, { at }) => ({ archived_at: at, updated_at: at })
    }
  },
  statusOf: (form) => form.status,
  enter: (status) => ({ status }),
  milestones: { activated_at: ["ACTIVE"], archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Form. */
export const machine: machine = defined

const rows: ReadonlyArray<Row<DonationForm, Status, Command, DonationFormEvent>> = Object.values(machine.table)

/** The statuses that a form can move to from this one. */
const within = (status: Status): ReadonlyArray<string> => [
  ...new Set(rows.filter(({ from, to }) => to !== "same" && from.includes(status)).map(({ to }) => to))
]

const refused = (form: DonationForm, wanted: Status): Result.Result<never, IllegalTransition> => {
  const message = `A form that is ${form.status} cannot become ${wanted}; it can become ${either(within(form.status))}.`
  const command = `PATCH status ${wanted}`
  return Result.fail(new IllegalTransition({ machine: machine.name, command, status: form.status, message }))
}

/**
 * The command that moves a form to the status that a PATCH names; none when the form has it already. Fails with {@link
 * IllegalTransition} where no row leads there. decisions, section 4: Forms.
 */
export const moveTo = (
  form: DonationForm,
  status: Status,
  at: DateTime.Utc
): Result.Result<Option.Option<Command>, IllegalTransition> => {
  if (status === form.status) return Result.succeed(Option.none())
  const command =
    status === "ARCHIVED"
      ? Command.make({ _tag: "Archive", at })
      : status === "PAUSED"
        ? Command.make({ _tag: "Pause", at })
        : form.status === "PAUSED"
          ? Command.make({ _tag: "Resume", at })
          : Command.make({ _tag: "Activate", at })
  const { from }: { readonly from: ReadonlyArray<Status> } = machine.table[command._tag]
  return status !== "DRAFT" && from.includes(form.status) ? Result.succeed(Option.some(command)) : refused(form, status)
}

const freeTexts = ["description", "thank_you_message", "disclaimer_text"] as const

/**
 * The settings of a form that a patch changes; empty when it changes nothing. Names and titles are trimmed, and an
 * empty text counts as none.
 */
export const changesOf = (form: DonationForm, patch: Partial<Settings>): Partial<Settings> => {
  const texts = freeTexts
    .filter((field) => patch[field] !== undefined)
    .map((field) => [field, textOrNull(patch[field])])
  const trimmed: Partial<Settings> = {
    ...patch,
    ...Object.fromEntries(texts),
    ...(patch.name === undefined ? {} : { name: nameOrNull(patch.name) ?? "" }),
    ...(patch.title === undefined ? {} : { title: nameOrNull(patch.title) ?? "" })
  }
  return differingFields(settingNames, form, trimmed)
}
