/**
 * The suites that every adapter of the ports must pass, registered with vitest. It needs vitest and fast-check;
 * `Checks` of `almoner/testing` has the same checks for any other runner.
 */
export * as Conformance from "./testing/Conformance.ts"
export { conformance, rateLimiter, type Stores, type Subject } from "./testing/Conformance.ts"
