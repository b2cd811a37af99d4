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

/** What a schema finds: the value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/** What is wrong with a value, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

type Types<S> = S extends { readonly "~standard": { readonly types?: infer T } } ? NonNullable<T> : never

/** What a schema takes. */
export type InputOf<S> = Types<S> extends { readonly input: infer Input } ? Input : never

/** What a schema gives. */
export type OutputOf<S> = Types<S> extends { readonly output: infer Output } ? Output : never
