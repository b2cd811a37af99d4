/**
 * A schema by the interface that schema libraries share, Standard Schema version 1, as it is published: zod, valibot,
 * arktype and others give such values, and Effect's `Schema.toStandardSchemaV1`.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** A schema's result: the value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/** An issue of a value, and its path. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

type Types<S> = S extends { readonly "~standard": { readonly types?: infer T } } ? NonNullable<T> : never

/** A schema's input. */
export type InputOf<S> = Types<S> extends { readonly input: infer Input } ? Input : never

/** A schema's output. */
export type OutputOf<S> = Types<S> extends { readonly output: infer Output } ? Output : never
