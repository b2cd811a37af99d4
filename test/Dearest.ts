/**
 * Short test files that take long: they begin before the others, which begin by their size where no run has said what they
 * take. docs/decisions/0043.
 */
export const dearest: ReadonlyArray<string> = [
  "test/e2e/shutdownPostgres.slow.test.ts",
  "test/e2e/shutdown.slow.test.ts",
  "test/package/examples.slow.test.ts",
  "test/e2e/descriptors.slow.test.ts",
  "test/e2e/failpointsEmbedded.slow.test.ts",
  "test/e2e/failpoints.slow.test.ts",
  "test/e2e/crash.slow.test.ts",
  "test/e2e/sandboxClock.slow.test.ts",
  "test/e2e/silence.slow.test.ts",
  "test/package/declarations.slow.test.ts",
  "test/package/peers.slow.test.ts",
  "test/facade/hostPool.slow.test.ts",
  "test/conformance/postgres.slow.test.ts",
  "test/payments/histories.slow.test.ts",
  "test/payments/sharedHistories.slow.test.ts",
  "test/payments/failpoints.slow.test.ts",
  "test/conformance/postgres.test.ts",
  "test/conformance/processors.slow.test.ts",
  "test/conformance/memory.test.ts",
  "test/app/Dispatcher.test.ts",
  "test/app/Doors.test.ts",
  "test/docs/openapi.test.ts",
  "test/laws/machines.test.ts"
]
