import fc from "fast-check"

/** What is drawn, and what must hold of all of it. */
type Stated<Values extends [unknown, ...ReadonlyArray<unknown>], Outcome = void> = [
  ...arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...values: Values) => Outcome
]

/** Asserts a property of every value that the arbitraries draw. */
export const forEvery = <Values extends [unknown, ...ReadonlyArray<unknown>]>(...stated: Stated<Values>): void =>
  fc.assert(fc.property<Values>(...stated))

/** The same as often, or from such examples, as the parameters say. */
export const forEveryWith = <Values extends [unknown, ...ReadonlyArray<unknown>]>(
  parameters: fc.Parameters<Values>,
  ...stated: Stated<Values>
): void => fc.assert(fc.property<Values>(...stated), parameters)

/** Asserts a property that takes its time of every value that the arbitraries draw. */
export const forEveryAsync = <Values extends [unknown, ...ReadonlyArray<unknown>]>(
  ...stated: Stated<Values, Promise<void>>
): Promise<void> => fc.assert(fc.asyncProperty<Values>(...stated))

/** The same as often, or from such examples, as the parameters say. */
export const forEveryAsyncWith = <Values extends [unknown, ...ReadonlyArray<unknown>]>(
  parameters: fc.Parameters<Values>,
  ...stated: Stated<Values, Promise<void>>
): Promise<void> => fc.assert(fc.asyncProperty<Values>(...stated), parameters)
