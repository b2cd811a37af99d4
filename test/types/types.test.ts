import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../architecture/Checkout.ts"
import { runFolder } from "../support/RunFolder.ts"

const folder = join(root, "test/types")
const files = readdirSync(folder).filter((name) => name.endsWith(".test-d.ts"))

const compile = (...parameters: ReadonlyArray<string>) => {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const { status, stdout } = spawnSync(process.execPath, [compiler, "--pretty", "false", ...parameters], {
    cwd: root,
    encoding: "utf8"
  })
  return { status, output: stdout }
}

const compiled = compile("-p", folder, "--listFiles")
const complaints = compiled.output.split("\n").filter((line) => line.includes("error TS"))

describe("valid programs compile, and invalid ones do not", () => {
  it.each(files)("%s", (file) => {
    assert.include(compiled.output, `test/types/${file}`, "it was compiled")
    assert.deepStrictEqual(
      complaints.filter((line) => line.includes(file)),
      []
    )
  })

  it("and nothing that they use fails", () => assert.deepStrictEqual(complaints, []))
})

describe("the compiler that says so", () => {
  const scratch = runFolder("types")

  it("complains of an expected error that is none, and of an error that is not expected", () => {
    writeFileSync(
      join(scratch, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["*.ts"] })
    )
    writeFileSync(join(scratch, "unused.ts"), "// @ts-expect-error none\nexport const fine: number = 1\n")
    writeFileSync(join(scratch, "wrong.ts"), 'export const wrong: number = ""\n')
    const { output, status } = compile("-p", scratch)
    assert.notStrictEqual(status, 0)
    assert.match(output, /unused\.ts.*error TS2578/)
    assert.match(output, /wrong\.ts.*error TS2322/)
  })
})
