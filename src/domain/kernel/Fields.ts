import { Schema } from "effect"

/** The meanings of fields that are the same in all records. A record's own are in its schema's annotation `meanings`. */
export const commonMeanings: Readonly<Record<string, string>> = {
  archived_at: "When the record was archived; null while it is in use.",
  created_at: "When the record was made.",
  data: "The records of this page.",
  deleted_at: "When the record was deleted; null while it is in use.",
  has_more: "Whether there is another page.",
  slug: "Name in addresses.",
  updated_at: "When the record was changed last."
}

/**
 * What a field of an input is in one of its forms: given, absent, or one of some values, of which `null` stands for a field
 * that is left out.
 */
export type FieldForm = "given" | "absent" | ReadonlyArray<string | boolean | null>

/**
 * The forms that an input may have, for its schema's annotation `forms`: the printed types take no other. The rule itself
 * is its use case's, which refuses what comes without types.
 */
export type Forms = ReadonlyArray<Readonly<Record<string, FieldForm>>>

/**
 * The forms of an input that has exactly one of some fields.
 * @example Fields.exactlyOne(["slug", "code"]) // => [{ slug: "given", code: "absent" }, { slug: "absent", code: "given" }]
 */
export const exactlyOne = (fields: ReadonlyArray<string>): Forms =>
  fields.map((only) => Object.fromEntries(fields.map((field) => [field, field === only ? "given" : "absent"])))

/**
 * A field of an input that may be left out, and that `null` clears.
 * @example
 * const Patch = Schema.Struct({ nickname: Fields.clearable(Schema.String) })
 * Schema.is(Patch)({ nickname: null }) // => true
 * Schema.is(Patch)({}) // => true
 */
export const clearable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
