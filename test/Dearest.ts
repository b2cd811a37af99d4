/**
 * Short test files that take long: they begin before the others, which begin by their size where no run has said what they
 * take. docs/decisions/0043.
 */
export const dearest: ReadonlyArray<string> = [
  "test/e2e/shutdownPostgres.test.ts",
  "test/e2e/shutdown.test.ts",
  "test/package/examples.test.ts",
  "test/e2e/descriptors.test.ts",
  "test/e2e/failpointsEmbedded.test.ts",
  "test/e2e/failpoints.test.ts",
  "test/e2e/crash.test.ts",
  "test/e2e/sandboxClock.test.ts",
  "test/e2e/silence.test.ts",
  "test/package/declarations.test.ts",
  "test/package/peers.test.ts",
  "test/payments/histories.test.ts",
  "test/payments/sharedHistories.test.ts",
  "test/payments/failpoints.test.ts",
  "test/conformance/postgres.test.ts",
  "test/conformance/processors.test.ts",
  "test/conformance/memory.test.ts",
  "test/facade/hostPool.test.ts",
  "test/domain/payments/Subscription.test.ts"
]
