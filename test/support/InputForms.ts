import { assert } from "@effect/vitest"
import type { Schema } from "effect"
import type { Forms } from "../../src/domain/kernel/Fields.ts"

/** Fields of an input, whatever they say together: what the types refuse is refused without them, too. */
export type FieldsOf<T> = Partial<Pick<T, keyof T>>

/** Whether an input has one of the forms that its schema publishes. */
export const hasForm = ({ ast }: Schema.Top, input: Readonly<Record<string, unknown>>): boolean => {
  const forms = ast.annotations?.["forms"] as Forms | undefined
  assert.isNotEmpty(forms)
  return (forms ?? []).some((form) =>
    Object.entries(form).every(([field, asked]) => {
      const value = input[field] ?? null
      if (typeof asked !== "string") return asked.some((each) => each === value)
      return asked === (value === null ? "absent" : "given")
    })
  )
}
