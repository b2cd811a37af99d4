/**
 * What the library's own tests are made of, for yours: generators of records, the laws of any machine, and the suite that
 * every adapter of the ports must pass. It needs fast-check, and the suite also vitest with `@effect/vitest`.
 */
export { arbitraryOf } from "./testing/Arbitraries.ts"
export { conformance, rateLimiter, type Stores, type Subject } from "./testing/Conformance.ts"
export * as Generators from "./testing/Generators.ts"
export * as Laws from "./testing/Laws.ts"
