/**
 * The test files, and folders of them, that get a process of their own each. All others take turns in the same processes and
 * leave them as they were; test/architecture holds them to it, and docs/decisions/0043 says who belongs here.
 */
export const alone: ReadonlyArray<string> = [
  // Change what belongs to the process.
  "test/adapters/EmbeddedDatabase.slow.test.ts",
  "test/architecture/Patterns.slow.test.ts",
  "test/conformance/recordStores.test.ts",
  "test/conformance/wrong.slow.test.ts",
  "test/facade/almoner.test.ts",
  "test/facade/canaries.slow.test.ts",
  "test/http/bodies.test.ts",
  "test/laws/mutants.slow.test.ts",
  // Work in other processes, which a failure may leave behind.
  "test/e2e/",
  "test/package/",
  "test/pages/pages.slow.test.ts",
  "test/pages/pages.test.ts",
  "test/pages/stripe.slow.test.ts"
]

/** Whether a test file gets a process of its own. */
export const isAlone = (path: string): boolean =>
  alone.some((each) => (each.endsWith("/") ? path.startsWith(each) : path === each))
