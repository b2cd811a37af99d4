#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=25 --v8-pool-size=1

/** The packages that the command needs and a host that embeds the library does not. docs/decisions/0018. */
const packages = [
  "@effect/platform-node",
  "@effect/sql-pg",
  "@electric-sql/pglite",
  "hono",
  "isbot",
  "undici",
  "nodemailer",
  "stripe"
].join(" ")

const isMissingPackage = (cause: unknown): cause is Error =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND"

/** Those of them that each server needs; the others are for one of its settings. */
const always = ["@effect/platform-node", "@effect/sql-pg", "hono", "isbot", "undici"]

try {
  // main.ts loads what a command needs when it needs it, and whatever is missing is to be said at once.
  for (const name of always) import.meta.resolve(name)
  await import("./main.ts")
} catch (cause) {
  if (!isMissingPackage(cause)) throw cause
  const [, missing = "a package"] = /Cannot find package '([^']+)'/.exec(cause.message) ?? []
  process.stderr.write(`The almoner command needs ${missing}, which is not installed. Run: npm install ${packages}\n`)
  process.exitCode = 3
}
