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
 * A field of an input that may be left out, and that `null` clears.
 * @example
 * const Patch = Schema.Struct({ nickname: Fields.clearable(Schema.String) })
 * Schema.is(Patch)({ nickname: null }) // => true
 * Schema.is(Patch)({}) // => true
 */
export const clearable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
