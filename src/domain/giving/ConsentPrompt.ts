import { DateTime, Schema, Struct } from "effect"
import { clearable } from "../kernel/Fields.ts"
import { ConsentPromptId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { compareCodePoints, GivenId, NameUpTo, TextUpTo, visibleChecks } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import type { Donation } from "./DonationFields.ts"

const meanings = {
  text: "What the donor is asked, as it is shown.",
  position: "Its place on the page: the lowest comes first, of equals the oldest.",
  prompt_id: "The prompt that is answered.",
  accepted: "Whether the donor said yes; no is recorded, too."
}

/** A place among the prompts of a page. */
const Position = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.consentPromptPosition }))

/** A question to donors on an organisation's pages. money, section 4: Consent. */
export class ConsentPrompt extends Schema.Opaque<ConsentPrompt>()(
  Schema.Struct({
    id: ConsentPromptId,
    organisation_id: OrganisationId,
    text: Schema.String,
    position: Position,
    created_at: Instant,
    updated_at: Instant,
    archived_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredConsentPrompt" })
) {}

/** A prompt as its organisation sees it. */
export const ConsentPromptRecord = ConsentPrompt.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "ConsentPrompt",
  meanings
})

const Wording = NameUpTo(Limits.consentPromptCharacters).check(...visibleChecks("a text that is not empty"))

/** The input of a new prompt. It comes last on the page where no place is given. */
export const NewConsentPrompt = Schema.Struct({ text: Wording, position: clearable(Position) }).annotate({
  identifier: "NewConsentPrompt",
  meanings: { ...meanings, position: "Its place on the page; the last one when not given." }
})
export type NewConsentPrompt = typeof NewConsentPrompt.Type

/** A change of a prompt. Answers that were given keep the wording that they were given to. */
export const ConsentPromptPatch = Schema.Struct({
  text: Schema.optionalKey(Wording),
  position: Schema.optionalKey(Position)
}).annotate({ identifier: "ConsentPromptPatch", meanings })
export type ConsentPromptPatch = typeof ConsentPromptPatch.Type

const changesSchema = Schema.Struct(Struct.pick(ConsentPrompt.fields, ["text", "position"])).mapFields(
  Struct.map(Schema.optionalKey)
)
/** The fields that a change of a prompt sets. */
export type Changes = typeof changesSchema.Type

/** The fields of a prompt that a patch makes different; empty when it changes nothing. */
export const changesOf = (prompt: ConsentPrompt, patch: ConsentPromptPatch): Changes => {
  const text = patch.text?.trim() ?? prompt.text
  const position = patch.position ?? prompt.position
  return { ...(text === prompt.text ? {} : { text }), ...(position === prompt.position ? {} : { position }) }
}

/** The order in which a page asks. */
export const inOrder = (a: ConsentPrompt, b: ConsentPrompt): number =>
  a.position - b.position ||
  DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) ||
  compareCodePoints(a.id, b.id)

/** The place after the last of some prompts, as far as places go. */
export const nextPosition = (prompts: ReadonlyArray<ConsentPrompt>): number =>
  Math.min(Limits.consentPromptPosition, prompts.reduce((last, { position }) => Math.max(last, position), 0) + 1)

/** The commands of the machine of a consent prompt. */
export const Command = Schema.TaggedUnion({
  Change: { at: Instant, changes: changesSchema },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type

/** The states of a consent prompt. */
export type Status = "ACTIVE" | "ARCHIVED"

const rule = "money, section 4: Consent"

/** How prompts come to be. */
export const births = {
  made: { by: "almoner consent-prompt create", to: "ACTIVE", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Consent prompt",
  state: ConsentPrompt,
  command: Command,
  wording: Refusals.consentPrompt,
  statuses: ["ACTIVE", "ARCHIVED"],
  rule,
  births,
  table: {
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at })
    },
    Archive: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      patch: (_, { at }) => ({ archived_at: at, updated_at: at })
    }
  },
  statusOf: (prompt) => (prompt.archived_at === null ? "ACTIVE" : "ARCHIVED"),
  milestones: { archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 4: Consent. */
export const machine: machine = defined

/** The list of consent prompts. */
export const listing = {
  filters: { created_at: { kind: "timestamp", description: "When the prompt was made" } },
  archivable: true
} as const satisfies ListSpec

/** A prompt as a page shows it. */
export const ShownPrompt = Schema.Struct({ id: ConsentPromptId, text: Schema.String }).annotate({
  identifier: "ShownConsentPrompt",
  meanings
})
export type ShownPrompt = typeof ShownPrompt.Type

/** A donor's answer to a prompt, with the wording that the page showed. */
export const TypedAnswer = Schema.Struct({
  prompt_id: GivenId,
  text: TextUpTo(Limits.consentPromptCharacters),
  accepted: Schema.Boolean
}).annotate({ identifier: "ConsentAnswer", meanings: { ...meanings, text: "The wording that the page showed." } })
export type TypedAnswer = typeof TypedAnswer.Type

const changed =
  "The consent prompts are not those that the page showed. Open the page again, show what it asks now, and submit the answers to that."

/**
 * The refusal of answers to other prompts than those that are asked now, in other words than they are asked in, or not to
 * all; null where every prompt is answered. Nobody is taken to have answered what they were not shown.
 */
export const answersRefusal = (
  prompts: ReadonlyArray<ShownPrompt>,
  answers: ReadonlyArray<TypedAnswer>
): InvalidInput | null => {
  const index = answers.findIndex(
    (each) => !prompts.some(({ id, text }) => id === each.prompt_id && text === each.text)
  )
  if (index !== -1) return new InvalidInput({ param: `consent[${index}]`, message: changed })
  const isComplete = prompts.every(({ id }) => answers.some(({ prompt_id }) => prompt_id === id))
  if (!isComplete || answers.length !== prompts.length) return new InvalidInput({ param: "consent", message: changed })
  return null
}

/** The answers as a gift keeps them, in the order of the page. `consent_given` is the first prompt's, null of none. */
export const consentOf = (
  prompts: ReadonlyArray<ShownPrompt>,
  answers: ReadonlyArray<TypedAnswer>,
  recorded_at: DateTime.Utc
): Pick<Donation, "consent_given" | "consent_responses"> => {
  const consent_responses = prompts.flatMap(({ id, text }) =>
    answers
      .filter(({ prompt_id }) => prompt_id === id)
      .map(({ accepted }) => ({ prompt_id: id, text, accepted, recorded_at }))
  )
  return { consent_given: consent_responses[0]?.accepted ?? null, consent_responses }
}
