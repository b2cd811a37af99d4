/**
 * The tools of the library's own tests, for yours: generators of records, the laws of any machine, and the suite that
 * every adapter of the ports must pass. It needs fast-check, and the suite also vitest with `@effect/vitest`.
 */
export { arbitraryOf } from "./testing/Arbitraries.ts"
export * as Conformance from "./testing/Conformance.ts"
export { conformance, rateLimiter, type Stores, type Subject } from "./testing/Conformance.ts"
export * as Checks from "./testing/conformance/Checks.ts"
export * as Generators from "./testing/Generators.ts"
export * as Histories from "./testing/Histories.ts"
export * as Interleavings from "./testing/Interleavings.ts"
export * as Laws from "./testing/Laws.ts"
export * as Mutants from "./testing/Mutants.ts"
export * as Scenarios from "./testing/Scenarios.ts"
export * as Subjects from "./testing/Subjects.ts"
