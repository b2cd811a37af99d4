/**
 * The tools of the library's own tests, for yours: generators of records, the laws of any machine, and the suite that
 * every adapter of the ports must pass, as checks for any test runner. It needs fast-check; `almoner/testing/vitest`
 * registers the suite with vitest.
 */

export * as TestProcessor from "./adapters/processors/test/TestProcessor.ts"
export { arbitraryOf } from "./testing/Arbitraries.ts"
export type { ContractRows, ContractTerms } from "./testing/ContractRows.ts"
export * as Checks from "./testing/conformance/Checks.ts"
export * as Generators from "./testing/Generators.ts"
export * as Histories from "./testing/Histories.ts"
export * as Interleavings from "./testing/Interleavings.ts"
export * as Laws from "./testing/Laws.ts"
export * as Mappings from "./testing/Mappings.ts"
export * as Models from "./testing/Models.ts"
export * as Mutants from "./testing/Mutants.ts"
export * as Scenarios from "./testing/Scenarios.ts"
export { type SubjectParts, subjectOf } from "./testing/SubjectOf.ts"
export * as Subjects from "./testing/Subjects.ts"
