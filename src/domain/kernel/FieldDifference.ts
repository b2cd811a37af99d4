import { Equal } from "effect"

/**
 * The given fields whose value differs from the record's; empty where nothing changes.
 * @example
 * FieldDifference.differingFields(["name", "tags"], { name: "Mary", tags: ["a"] }, { name: "May", tags: ["a"] })
 * // => { name: "May" }
 */
export const differingFields = <A extends object, Field extends keyof A & string>(
  fields: ReadonlyArray<Field>,
  before: A,
  given: { readonly [F in Field]?: A[F] | undefined }
): { readonly [F in Field]?: A[F] } => {
  const entries = fields
    .filter((field) => given[field] !== undefined && !Equal.equals(given[field], before[field]))
    .map((field) => [field, given[field]])
  return Object.fromEntries(entries)
}
