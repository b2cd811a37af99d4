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

/** The forms that an input may have. The rule itself is its use case's, which refuses what comes without types. */
export type Forms = ReadonlyArray<Form>

type Form = Readonly<Record<string, FieldForm>>

/** The type of a field in a form; one that may be null may be left out. */
type FieldIn<V, F> = F extends "given"
  ? Exclude<V, null | undefined>
  : F extends ReadonlyArray<infer Each>
    ? Each
    : null

type InForm<T, F> = F extends Form
  ? { readonly [K in keyof T as K extends keyof F ? never : K]: T[K] } & {
      readonly [K in keyof F & keyof T as null extends FieldIn<T[K], F[K]> ? never : K]-?: FieldIn<T[K], F[K]>
    } & { readonly [K in keyof F & keyof T as null extends FieldIn<T[K], F[K]> ? K : never]?: FieldIn<T[K], F[K]> }
  : never

/** An input in any of its forms: a union, which takes nothing else. */
export type InForms<T, F extends Forms> = InForm<T, F[number]>

/** The schema of an input whose type is a union of its forms. */
export interface SchemaInForms<S extends Schema.Struct<Schema.Struct.Fields>, T> extends Schema.Codec<T, S["Encoded"]> {
  readonly fields: S["fields"]
}

/** Says which forms an input may have, in its schema's type and, for the printed types, in its annotation `forms`. */
export function inForms<S extends Schema.Struct<Schema.Struct.Fields>, const F extends Forms>(
  schema: S,
  forms: F
): SchemaInForms<S, InForms<S["Type"], F>>
export function inForms(schema: Schema.Struct<Schema.Struct.Fields>, forms: Forms): Schema.Top {
  return schema.annotate({ forms })
}

/**
 * The forms of an input that has exactly one of some fields.
 * @example Fields.exactlyOne(["slug", "code"]) // => [{ slug: "given", code: "absent" }, { slug: "absent", code: "given" }]
 */
export function exactlyOne<const K extends string>(
  fields: ReadonlyArray<K>
): ReadonlyArray<{ [Only in K]: { readonly [Each in K]: Each extends Only ? "given" : "absent" } }[K]>
export function exactlyOne(fields: ReadonlyArray<string>): Forms {
  return fields.map((only) => Object.fromEntries(fields.map((field) => [field, field === only ? "given" : "absent"])))
}

/**
 * A field of an input that may be left out, and that `null` clears.
 * @example
 * const Patch = Schema.Struct({ nickname: Fields.clearable(Schema.String) })
 * Schema.is(Patch)({ nickname: null }) // => true
 * Schema.is(Patch)({}) // => true
 */
export const clearable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
