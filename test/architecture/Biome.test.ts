import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "./Checkout.ts"

interface Diagnostic {
  readonly category: string
  readonly severity: string
  readonly location: { readonly path: string }
}

const isDiagnostic = (value: unknown): value is Diagnostic =>
  typeof value === "object" && value !== null && "category" in value && "severity" in value && "location" in value

/** Lints a folder with Biome and gives what it calls errors as `path rule`. */
const lint = (folder: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome")
    const args = [biome, "lint", "--reporter=json", "--max-diagnostics=none"]
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_, stdout, stderr) => {
      try {
        const { diagnostics }: { diagnostics: unknown } = JSON.parse(stdout)
        const list: ReadonlyArray<unknown> = Array.isArray(diagnostics) ? diagnostics : []
        resolve(
          list
            .filter(isDiagnostic)
            .filter(({ severity }) => severity === "error")
            .map(({ category, location }) => `${location.path} ${category}`)
        )
      } catch {
        reject(new Error(`Biome gave no report: ${stderr}`))
      }
    })
  })

const imports = "lint/style/noRestrictedImports"
const globals = "lint/style/noRestrictedGlobals"
const anyType = "lint/suspicious/noExplicitAny"
const cycle = "lint/suspicious/noImportCycles"
const use = (specifier: string): string => `import { x } from "${specifier}"\nexport const y = x\n`

/** A snippet, where it stands, and the one rule that must fire; null where none may. */
const probes: ReadonlyArray<readonly [path: string, text: string, rule: string | null]> = [
  ["src/domain/giving/Port.ts", use("../../ports/giving/DonorStore.ts"), imports],
  ["src/domain/giving/Package.ts", use("typeid-js"), imports],
  ["src/domain/giving/Builtin.ts", use("node:fs"), imports],
  ["src/domain/giving/Folder.ts", use("effect/sql/SqlClient"), imports],
  ["src/domain/giving/Sibling.ts", use("../kernel/Money.ts"), null],
  ["src/domain/giving/Effect.ts", use("effect"), null],
  ["src/domain/giving/Clock.ts", "export const now = () => new Date()\n", globals],
  ["src/domain/giving/Any.ts", "export const f = (x: any) => x\n", anyType],
  ["src/domain/giving/Cycle.ts", 'import { y } from "./Elcyc.ts"\nexport const x = () => y\n', cycle],
  ["src/domain/giving/Elcyc.ts", 'import { x } from "./Cycle.ts"\nexport const y = () => x\n', cycle],
  ["src/ports/giving/UseCase.ts", use("../../app/giving/Donors.ts"), imports],
  ["src/ports/giving/Sibling.ts", use("../kernel/RecordStore.ts"), null],
  ["src/ports/giving/Domain.ts", use("../../domain/kernel/Money.ts"), null],
  ["src/ports/giving/Host.ts", "export const port = process.env\n", globals],
  ["src/app/giving/UseCase.ts", use("./Donors.ts"), imports],
  ["src/app/giving/Adapter.ts", use("../../adapters/postgres/connection/Client.ts"), imports],
  ["src/app/giving/Port.ts", use("../../ports/giving/DonorStore.ts"), null],
  ["src/app/giving/Network.ts", 'export const get = () => fetch("https://example.org")\n', globals],
  ["src/app/giving/Name.ts", "export const get = (self: { fetch: string }) => self.fetch\n", null],
  ["src/adapters/postgres/UseCase.ts", use("../../app/giving/Donors.ts"), imports],
  ["src/adapters/http/UseCase.ts", use("../../app/giving/Donors.ts"), null],
  ["src/adapters/postgres/Package.ts", use("@effect/sql-pg"), null],
  ["src/adapters/postgres/Clock.ts", "export const now = () => new Date()\n", null],
  ["src/testing/Adapter.ts", use("../adapters/postgres/connection/Client.ts"), imports],
  ["src/testing/Memory.ts", use("../adapters/memory/giving/DonorStore.ts"), null]
]

describe("Biome", () => {
  it("fires where a rule is broken, and only there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "almoner-biome-"))
    try {
      for (const name of ["biome.json", ".gitignore"]) cpSync(join(root, name), join(folder, name))
      for (const [path, text] of probes) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      const expected = probes.flatMap(([path, , rule]) => (rule === null ? [] : [`${path} ${rule}`]))
      assert.deepStrictEqual([...(await lint(folder))].sort(), expected.sort())
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
