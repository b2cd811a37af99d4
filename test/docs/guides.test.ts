import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "./Markdown.ts"

const run = async (program: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: root
  })
  return stdout
}

describe("docs/guides/embed.md", () => {
  const [useCase = "", mounted = "", ...more] = blocksOf(readFileSync(join(root, "docs/guides/embed.md"), "utf8"), "js")

  it("shows a use case in memory that runs as printed", async () => {
    assert.match(await run(useCase), /^dnr_[0-9a-z]{26} ada@example\.org\n$/)
  })

  it("shows the HTTP API behind a web-standard handler that runs as printed", async () => {
    assert.strictEqual(await run(mounted), "200\n")
    assert.lengthOf(more, 0)
  })
})
