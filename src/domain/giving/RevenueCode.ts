import { Schema, Struct } from "effect"
import { OrganisationId, RevenueCodeId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { controls, NameUpTo, TextUpTo, textOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  code: "Text of the code.",
  namespace: "System that the code belongs to; INTERNAL for codes that are made here.",
  description: "What the code is for.",
  is_fca: "Whether the code is marked FCA."
}

/** Where a code comes from; the last three are third-party systems. service-spec, Revenue code. */
export const Namespace = Schema.Literals(["INTERNAL", "CRM_A", "CAMPAIGN_PLATFORM_B", "CRM_C"]).annotate({
  identifier: "RevenueCodeNamespace"
})
export type Namespace = typeof Namespace.Type

/** A code under which an organisation books gifts. service-spec, Revenue code. */
export class RevenueCode extends Schema.Opaque<RevenueCode>()(
  Schema.Struct({
    id: RevenueCodeId,
    organisation_id: OrganisationId,
    /** In its latest spelling. Unique per organisation and namespace, whatever the case and the Unicode form. */
    code: Schema.String,
    namespace: Namespace,
    description: Schema.NullOr(Schema.String),
    /** Exactly where the jurisdiction is federal. law, section 3. */
    is_fca: Schema.Boolean,
    /** The jurisdiction by whose law gifts under the code count toward a disclosure; null for none. law, section 3. */
    jurisdiction: Schema.NullOr(Schema.String),
    archived_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredRevenueCode" })
) {}

/** A revenue code as the API shows it. */
export const RevenueCodeRecord = RevenueCode.mapFields(Struct.omit(["organisation_id", "jurisdiction"])).annotate({
  identifier: "RevenueCode",
  meanings
})

/** A revenue code as staff see it. */
export const AssignedCode = RevenueCode.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "AssignedRevenueCode",
  meanings: { ...meanings, jurisdiction: "The jurisdiction that it is assigned to; null for none." }
})

/**
 * A code's text: printable, 1 to 100 characters, trimmed. decisions, section 4: Revenue codes. Printable is everything
 * but control characters and line separators.
 */
export const CodeText = NameUpTo(Limits.revenueCodeCharacters).check(
  Schema.isPattern(new RegExp(`^[^${controls}\\u2028\\u2029]*$`), {
    expected: "printable text",
    description: "printable text"
  })
)

/**
 * The form in which codes are compared: trimmed, without case, and in one Unicode form, so that codes that read the
 * same are the same. It goes through capitals, because some letters have no capital of their own: ß becomes SS.
 * @example RevenueCode.codeKey(" Straße ") // => "strasse"
 */
export const codeKey = (code: string): string =>
  code.trim().normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")

/** The body of POST /revenue-codes. */
export const NewRevenueCode = Schema.Struct({
  code: CodeText,
  description: Schema.optionalKey(Schema.NullOr(TextUpTo(Limits.nameCharacters)))
}).annotate({ identifier: "NewRevenueCode", meanings })
export type NewRevenueCode = typeof NewRevenueCode.Type

/** The body of PATCH /revenue-codes/{id}. */
export const RevenueCodePatch = Schema.Struct({
  code: Schema.optionalKey(CodeText),
  description: Schema.optionalKey(Schema.NullOr(TextUpTo(Limits.nameCharacters)))
}).annotate({ identifier: "RevenueCodePatch", meanings })
export type RevenueCodePatch = typeof RevenueCodePatch.Type

const changesSchema = Schema.Struct(Struct.pick(RevenueCode.fields, ["code", "description"])).mapFields(
  Struct.map(Schema.optionalKey)
)
/** The fields that a change of a revenue code sets. */
export type Changes = typeof changesSchema.Type

/** The fields of a code that a patch changes, its text trimmed; empty when it changes nothing. */
export const changesOf = (code: RevenueCode, patch: RevenueCodePatch): Changes => {
  const text = patch.code === undefined ? code.code : patch.code.trim()
  const description = patch.description === undefined ? code.description : textOrNull(patch.description)
  return { ...(text === code.code ? {} : { code: text }), ...(description === code.description ? {} : { description }) }
}

/** The commands of the machine of a revenue code. */
export const Command = Schema.TaggedUnion({
  Change: { at: Instant, changes: changesSchema },
  Assign: { at: Instant, jurisdiction: RevenueCode.fields.jurisdiction },
  Archive: { at: Instant }
})
export type Command = typeof Command.Type

/** The states of a revenue code. */
export type Status = "ACTIVE" | "ARCHIVED"

/** The jurisdiction whose codes are those of a federal campaign account. */
const federal = "AU"

const rule = "decisions, section 4: Revenue codes"

/** How codes come to be. */
export const births = {
  made: { by: "POST /revenue-codes", to: "ACTIVE", emits: [], rule },
  named: { by: "a gift, form or link names a text that has no code", to: "ACTIVE", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Revenue code",
  state: RevenueCode,
  command: Command,
  events: {},
  wording: Refusals.revenueCode,
  statuses: ["ACTIVE", "ARCHIVED"],
  rule,
  births,
  table: {
    Change: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      patch: (_, { at, changes }) => ({ ...changes, updated_at: at })
    },
    Assign: {
      from: ["ACTIVE"],
      to: "ACTIVE",
      patch: (_, { at, jurisdiction }) => ({ jurisdiction, is_fca: jurisdiction === federal, updated_at: at }),
      rule: "law, section 3"
    },
    Archive: {
      from: ["ACTIVE"],
      to: "ARCHIVED",
      patch: (_, { at }) => ({ archived_at: at, updated_at: at }),
      rule: "decisions, section 1: Verbs"
    }
  },
  statusOf: (code) => (code.archived_at === null ? "ACTIVE" : "ARCHIVED"),
  enter: () => ({}),
  milestones: { archived_at: ["ARCHIVED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 4: Revenue codes. */
export const machine: machine = defined

/** The list of revenue codes. */
export const listing = {
  filters: {
    code: { kind: "text", column: "code_key", fold: codeKey, description: "The code's text, whatever its case" },
    namespace: { kind: "enum", values: Namespace.literals, description: "Where the code comes from" },
    is_fca: { kind: "boolean", description: "Whether the code is a federal campaign account" },
    created_at: { kind: "timestamp", description: "When the code was made" }
  },
  archivable: true
} as const satisfies ListSpec

/** Columns that are computed from a code for filtering. */
export const derivedColumns = (code: RevenueCode) => ({ code_key: codeKey(code.code) })
