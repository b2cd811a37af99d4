import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Steps.ts"
import { commandsOf, freePort, preparedFolder, serve } from "./Almoner.ts"

const dayOf = (index: number) => new Date(Date.UTC(2020, 0, 1 + Math.floor(index / 200))).toISOString().slice(0, 10)

/** A line of about 70 characters; one in a thousand brought money. */
const lineOf = (index: number) =>
  `${dayOf(index)},${index % 1_000 === 0 ? "" : "-"}12.34,CARD PURCHASE AT A SHOP SOMEWHERE ${index} FROM A CARD\n`

const fileOf = Effect.fnUntraced(function* (lines: number) {
  const path = join(yield* folder, "statement.csv")
  const text = Array.from({ length: lines }, (_, index) => lineOf(index)).join("")
  yield* Effect.promise(() => writeFile(path, `Date,Amount,Description\n${text}`))
  return path
})

const peakKilobytes = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? assert.fail("no memory"))

describe.skipIf(process.platform !== "linux")("a statement of 20 MB", () => {
  live(
    "is imported by a running server in the memory that a small one takes",
    function* () {
      const DATA_DIR = yield* preparedFolder
      const environment = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed" }
      const server = yield* serve(environment, { isProduct: true })
      const command = commandsOf("demo", environment)
      const making = ["--label", "Bank", "--processor-connect-account", "main", "--processor", "bank"]
      const { id } = yield* command("integration", "create", ...making, "--bank-account", "062-000 12345678 Trust")
      const importing = (path: string) => command("credit", "import", path, "--integration", id)
      assert.deepInclude(yield* importing(yield* fileOf(5_000)), { lines: 5_000, recorded: 5 })
      const before = peakKilobytes(server.pid)
      const counts = { lines: 290_000, skipped: 289_710, passed_over: 0 }
      assert.deepInclude(yield* importing(yield* fileOf(290_000)), { ...counts, recorded: 285, known: 5 })
      assert.isBelow(peakKilobytes(server.pid) - before, 60_000)
    },
    300_000
  )
})
